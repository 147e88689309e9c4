import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import Joi from 'joi';
import Koa from 'koa';

const plants = [];

const newPlant = Joi.object({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  tag: Joi.string(),
});

const app = new Koa();
const router = new Router();

app.use(async (ctx, next) => {
  try {
    await next();
  } catch (err) {
    ctx.status = err.status || 500;
    ctx.body = { error: ctx.status, message: err.message };
  }
});

app.use(async (ctx, next) => {
  if (ctx.get('Authorization') !== `Bearer ${process.env.PLANT_STORE_TOKEN}`) {
    ctx.set('WWW-Authenticate', 'Bearer');
    ctx.throw(401);
  }
  await next();
});

app.use(bodyParser());

router.post('/plants', (ctx) => {
  const { value, error } = newPlant.validate(ctx.request.body);
  if (error) ctx.throw(400, error.message);

  plants.push(value);
  ctx.body = { name: value.name, tag: value.tag };
});

app.use(router.routes()).use(router.allowedMethods());

app.listen(process.env.PORT, '127.0.0.1');
