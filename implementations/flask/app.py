import os
from hmac import compare_digest

from flask import Flask, abort, json, jsonify, request
from marshmallow import Schema, ValidationError, fields
from werkzeug.exceptions import HTTPException


class PlantSchema(Schema):
    name = fields.Str(required=True)
    tag = fields.Str()


class NewPlantSchema(PlantSchema):
    id = fields.Int(required=True)


app = Flask(__name__)
plants = []


@app.before_request
def check_token():
    authorization = request.authorization
    if authorization is None or authorization.type != "bearer" or not authorization.token:
        abort(401, "A bearer token is required")
    if not compare_digest(authorization.token.encode(), os.environ["PLANT_STORE_TOKEN"].encode()):
        abort(401, "The token is not valid")


@app.errorhandler(HTTPException)
def handle_http_exception(e):
    response = e.get_response()
    response.data = json.dumps({"error": e.code, "message": e.description})
    response.content_type = "application/json"
    return response


@app.errorhandler(ValidationError)
def handle_validation_error(e):
    message = "; ".join(f"{field}: {' '.join(map(str, texts))}" for field, texts in e.messages.items())
    return jsonify(error=400, message=message), 400


@app.post("/plants")
def create_plant():
    plant = NewPlantSchema().load(request.get_json())
    plants.append(plant)
    return PlantSchema().dump(plant)
