import { serve } from '@hono/node-server';
import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { HTTPException } from 'hono/http-exception';
import * as z from 'zod';

const plants = [];

const Plant = z.object({
  name: z.string(),
  tag: z.string().optional(),
});

const NewPlant = Plant.extend({
  id: z.int(),
});

const app = new Hono();

app.use('/plants', bearerAuth({ token: process.env.PLANT_STORE_TOKEN }));

app.post(
  '/plants',
  zValidator('json', NewPlant, (result, c) => {
    if (!result.success) {
      return c.json({ error: 400, message: z.prettifyError(result.error) }, 400);
    }
  }),
  (c) => {
    const plant = c.req.valid('json');
    plants.push(plant);
    return c.json(Plant.parse(plant));
  },
);

app.onError((err, c) => {
  if (err instanceof HTTPException) {
    return err.res ? err.getResponse() : c.json({ error: err.status, message: err.message }, err.status);
  }
  console.error(err);
  return c.json({ error: 500, message: 'Internal Server Error' }, 500);
});

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
