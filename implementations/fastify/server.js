import bearerAuth from '@fastify/bearer-auth';
import Fastify from 'fastify';

const plants = [];
const fastify = Fastify();

const plantProperties = {
  name: { type: 'string' },
  tag: { type: 'string' },
};

const newPlant = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, ...plantProperties },
};

const plant = {
  type: 'object',
  required: ['name'],
  properties: plantProperties,
};

fastify.register(bearerAuth, {
  keys: new Set([process.env.PLANT_STORE_TOKEN]),
  errorResponse: (err) => ({ error: 401, message: err.message }),
});

fastify.setErrorHandler((error, request, reply) => {
  const status = error.statusCode ?? 500;
  reply.status(status).send({ error: status, message: error.message });
});

fastify.register(async (routes) => {
  routes.post('/plants', { schema: { body: newPlant, response: { 200: plant } } }, async (request) => {
    plants.push(request.body);
    return request.body;
  });
});

await fastify.listen({ port: process.env.PORT, host: '127.0.0.1' });
