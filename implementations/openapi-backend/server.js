import express from 'express';
import { OpenAPIBackend } from 'openapi-backend';

const plants = [];
const api = new OpenAPIBackend({ definition: '../../openapi.yaml' });

api.register({
  createPlant: (c, req, res) => {
    const { id, name, tag } = c.request.requestBody;
    plants.push({ id, name, tag });
    return res.status(200).json({ name, tag });
  },
  validationFail: (c, req, res) => {
    const message = c.validation.errors.map((e) => `${e.instancePath} ${e.message}`).join('; ');
    return res.status(400).json({ error: 400, message });
  },
  unauthorizedHandler: (c, req, res) => res.status(401).json({ error: 401, message: 'unauthorized' }),
  notFound: (c, req, res) => res.status(404).json({ error: 404, message: 'not found' }),
});

api.registerSecurityHandler('bearerAuth', (c) => {
  return c.request.headers.authorization === `Bearer ${process.env.PLANT_STORE_TOKEN}`;
});

await api.init();

const app = express();
app.use(express.json());
app.use((req, res) => api.handleRequest(req, req, res));
app.use((err, req, res, next) => {
  const status = err.status ?? 500;
  res.status(status).json({ error: status, message: err.message });
});
app.listen(process.env.PORT, '127.0.0.1');
