import { Injectable } from '@nestjs/common';
import { CreatePlantDto } from './create-plant.dto.js';

@Injectable()
export class PlantsService {
  private readonly plants: CreatePlantDto[] = [];

  create(plant: CreatePlantDto) {
    this.plants.push(plant);
    return { name: plant.name, tag: plant.tag };
  }
}
