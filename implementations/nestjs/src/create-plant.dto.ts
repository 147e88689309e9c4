import { IsInt, IsOptional, IsString } from 'class-validator';

export class CreatePlantDto {
  @IsInt()
  id: number;

  @IsString()
  name: string;

  @IsOptional()
  @IsString()
  tag?: string;
}
