import bearerAuth from '@fastify/bearer-auth';
import Database from 'better-sqlite3';
import Fastify from 'fastify';

const db = new Database(process.env.PLANT_STORE_DB ?? ':memory:');
db.pragma('journal_mode = WAL');
db.exec('CREATE TABLE IF NOT EXISTS plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT)');
const insert = db.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) RETURNING name, tag');

const fastify = Fastify();

fastify.addSchema({
  $id: 'Plant',
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, tag: { type: 'string' } },
});

fastify.addSchema({
  $id: 'NewPlant',
  allOf: [{ $ref: 'Plant#' }, { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }],
});

fastify.register(bearerAuth, {
  keys: new Set([process.env.PLANT_STORE_TOKEN]),
  errorResponse: (err) => ({ error: 401, message: err.message }),
});

fastify.setErrorHandler((error, request, reply) => {
  if (error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return reply.status(409).send({ error: 409, message: 'there is a plant with this id already' });
  }
  const status = error.statusCode ?? 500;
  return reply.status(status).send({ error: status, message: error.message });
});

fastify.register(async (routes) => {
  const schema = { body: { $ref: 'NewPlant#' }, response: { 200: { $ref: 'Plant#' } } };
  routes.post('/plants', { schema }, async (request) => {
    const { id, name, tag } = request.body;
    return insert.get(id, name, tag);
  });
});

await fastify.listen({ port: process.env.PORT, host: '127.0.0.1' });
