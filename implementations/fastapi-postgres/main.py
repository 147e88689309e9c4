import os
import secrets
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request, status
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from psycopg.errors import UniqueViolation
from psycopg_pool import ConnectionPool
from pydantic import BaseModel
from starlette.exceptions import HTTPException as StarletteHTTPException

pool = ConnectionPool(os.environ["DATABASE_URL"], open=False)
bearer = HTTPBearer()


@asynccontextmanager
async def lifespan(app: FastAPI):
    pool.open(wait=True)
    with pool.connection() as conn:
        conn.execute("CREATE TABLE IF NOT EXISTS plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)")
    yield
    pool.close()


def check_token(credentials: Annotated[HTTPAuthorizationCredentials, Depends(bearer)]):
    token = os.environ["PLANT_STORE_TOKEN"]
    if not secrets.compare_digest(credentials.credentials.encode(), token.encode()):
        raise HTTPException(
            status_code=status.HTTP_401_UNAUTHORIZED,
            detail="Invalid token",
            headers={"WWW-Authenticate": "Bearer"},
        )


class Plant(BaseModel):
    name: str
    tag: str | None = None


class NewPlant(Plant):
    id: int


app = FastAPI(title="Plant Store", lifespan=lifespan, dependencies=[Depends(check_token)])


@app.exception_handler(StarletteHTTPException)
async def http_exception_handler(request: Request, exc: StarletteHTTPException):
    return JSONResponse(
        {"error": exc.status_code, "message": exc.detail}, status_code=exc.status_code, headers=exc.headers
    )


@app.exception_handler(RequestValidationError)
async def validation_exception_handler(request: Request, exc: RequestValidationError):
    message = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors())
    return JSONResponse({"error": 400, "message": message}, status_code=400)


@app.post("/plants", response_model_exclude_none=True)
def create_plant(plant: NewPlant) -> Plant:
    try:
        with pool.connection() as conn:
            conn.execute(
                "INSERT INTO plants (id, name, tag) VALUES (%s, %s, %s)", (plant.id, plant.name, plant.tag)
            )
    except UniqueViolation:
        raise HTTPException(status.HTTP_409_CONFLICT, "There is a plant with this id already")
    return plant
