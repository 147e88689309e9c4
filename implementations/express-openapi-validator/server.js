import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';

const plants = [];
const app = express();

app.use(express.json());

app.use(
  OpenApiValidator.middleware({
    apiSpec: '../../openapi.yaml',
    validateRequests: true,
    validateResponses: true,
    validateSecurity: {
      handlers: {
        bearerAuth: (req) => req.headers.authorization === `Bearer ${process.env.PLANT_STORE_TOKEN}`,
      },
    },
  }),
);

app.post('/plants', (req, res) => {
  const { id, name, tag } = req.body;
  plants.push({ id, name, tag });
  res.json({ name, tag });
});

app.use((err, req, res, next) => {
  const status = err.status || 500;
  res.status(status).json({ error: status, message: err.message });
});

app.listen(process.env.PORT, '127.0.0.1');
