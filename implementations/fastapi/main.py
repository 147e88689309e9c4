import os
import secrets
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request, status
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel
from starlette.exceptions import HTTPException as StarletteHTTPException

bearer = HTTPBearer()


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


app = FastAPI(title="Plant Store", dependencies=[Depends(check_token)])
plants: list[NewPlant] = []


@app.exception_handler(StarletteHTTPException)
async def http_exception_handler(request: Request, exc: StarletteHTTPException):
    return JSONResponse(
        {"error": exc.status_code, "message": exc.detail}, status_code=exc.status_code, headers=exc.headers
    )


@app.exception_handler(RequestValidationError)
async def validation_exception_handler(request: Request, exc: RequestValidationError):
    message = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors())
    return JSONResponse({"error": 400, "message": message}, status_code=400)


@app.post("/plants")
async def create_plant(plant: NewPlant) -> Plant:
    plants.append(plant)
    return plant
