import os
import sqlite3

from flask import Flask, abort, current_app, g, json, request
from jsonschema import Draft202012Validator
from werkzeug.exceptions import HTTPException

NEW_PLANT = Draft202012Validator(
    {
        "type": "object",
        "required": ["id", "name"],
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "tag": {"type": "string"}},
    }
)


def get_db():
    if "db" not in g:
        g.db = sqlite3.connect(current_app.config["DATABASE"])
        g.db.row_factory = sqlite3.Row
    return g.db


def close_db(e=None):
    db = g.pop("db", None)
    if db is not None:
        db.close()


def init_db():
    with current_app.open_resource("schema.sql") as f:
        get_db().executescript(f.read().decode("utf8"))


def check_token():
    if request.headers.get("Authorization") != f"Bearer {current_app.config['TOKEN']}":
        abort(401, "Invalid or missing token")


def handle_http_exception(e):
    response = e.get_response()
    response.data = json.dumps({"error": e.code, "message": e.description})
    response.content_type = "application/json"
    return response


def create_plant():
    plant = request.get_json()
    for error in NEW_PLANT.iter_errors(plant):
        abort(400, f"{error.json_path}: {error.message}")

    db = get_db()
    try:
        db.execute(
            "INSERT INTO plant (id, name, tag) VALUES (?, ?, ?)", (plant["id"], plant["name"], plant.get("tag"))
        )
        db.commit()
    except sqlite3.IntegrityError:
        abort(400, f"Plant {plant['id']} is already registered.")

    return {field: plant[field] for field in ("name", "tag") if field in plant}


def create_app():
    app = Flask(__name__)
    app.config.from_mapping(
        DATABASE=os.environ.get("PLANT_STORE_DB", os.path.join(app.instance_path, "plants.sqlite")),
        TOKEN=os.environ["PLANT_STORE_TOKEN"],
    )
    os.makedirs(app.instance_path, exist_ok=True)
    app.teardown_appcontext(close_db)
    app.before_request(check_token)
    app.register_error_handler(HTTPException, handle_http_exception)
    app.add_url_rule("/plants", view_func=create_plant, methods=["POST"])
    with app.app_context():
        init_db()
    return app
