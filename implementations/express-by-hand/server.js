import express from 'express';

const plants = new Map();
const app = express();

app.use((req, res, next) => {
  if (req.get('Authorization') !== `Bearer ${process.env.PLANT_STORE_TOKEN}`) {
    return res.status(401).set('WWW-Authenticate', 'Bearer').json({ error: 401, message: 'Unauthorized' });
  }
  next();
});

app.use(express.json());

function problem(body) {
  if (typeof body !== 'object' || body === null) return 'a JSON object is required';
  if (!Number.isInteger(body.id)) return 'id must be an integer';
  if (typeof body.name !== 'string') return 'name must be a string';
  if (body.tag !== undefined && typeof body.tag !== 'string') return 'tag must be a string';
}

app.post('/plants', (req, res) => {
  const message = problem(req.body);
  if (message) return res.status(400).json({ error: 400, message });

  const { id, name, tag } = req.body;
  if (plants.has(id)) return res.status(409).json({ error: 409, message: `there is a plant ${id} already` });

  plants.set(id, { id, name, tag });
  res.json({ name, tag });
});

app.use((err, req, res, next) => {
  const status = err.status ?? 500;
  if (status === 500) console.error(err);
  res.status(status).json({ error: status, message: status === 500 ? 'Internal Server Error' : err.message });
});

app.listen(process.env.PORT, '127.0.0.1');
