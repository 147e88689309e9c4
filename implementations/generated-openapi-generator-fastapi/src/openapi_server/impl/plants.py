from openapi_server.apis.default_api_base import BaseDefaultApi
from openapi_server.models.new_plant import NewPlant
from openapi_server.models.plant import Plant

plants: list[NewPlant] = []


class Plants(BaseDefaultApi):
    async def create_plant(self, new_plant: NewPlant) -> Plant:
        plants.append(new_plant)
        return Plant(name=new_plant.name, tag=new_plant.tag)
