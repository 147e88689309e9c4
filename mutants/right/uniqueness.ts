import initSqlJs from 'sql.js';
import { json, type NewPlant, type Steps, startStore } from '../../reference/store.ts';
import { type RightStore, right } from '../fleet.ts';
import { anew, unique } from '../helpers.ts';

const taken = (status: number) => json(status, { error: status, message: 'there is such a plant already' });

/** A store that holds each id once and each name once, and says so with a status of its own for each. */
const uniqueBoth = (ofId: number, ofName: number) =>
  anew(() => {
    const [ids, names] = [new Set<unknown>(), new Set<unknown>()];
    return (reference: Steps): Partial<Steps> => ({
      create(plant, request) {
        if (ids.has(plant.id)) return taken(ofId);
        if (names.has(plant.name)) return taken(ofName);
        ids.add(plant.id);
        names.add(plant.name);
        return reference.create(plant, request);
      },
    });
  });

/** A store that keeps its plants in SQLite, whose constraints decide what is a duplicate. */
const inSqlite = (name: string, odd: string, columns: string, status: number): RightStore => ({
  name,
  odd,
  async start(token) {
    const { Database } = await initSqlJs();
    const database = new Database();
    database.run(`CREATE TABLE plants (${columns})`);
    const insert = database.prepare('INSERT INTO plants VALUES (CAST(? AS INTEGER), ?, ?)');
    const isKept = ({ id, name: own, tag }: NewPlant): boolean => {
      try {
        insert.run([String(id), own, tag ?? null]);
        return true;
      } catch (error) {
        if (!(error as Error).message.startsWith('UNIQUE constraint failed')) throw error;
        return false;
      }
    };
    return startStore({
      token,
      steps: (reference) => ({
        create: (plant, request) => (isKept(plant) ? reference.create(plant, request) : taken(status)),
      }),
    });
  },
});

/** Stores that hold each id or each name once: uniqueness is not shown. They remember plants as long as they run. */
export const uniqueness: readonly RightStore[] = [
  right(
    'unique-ids',
    'an id that is taken gets 409',
    unique(({ id }) => id),
  ),
  right(
    'unique-ids-400',
    'an id that is taken gets 400, with an Error',
    unique(({ id }) => id, 400),
  ),
  right(
    'unique-names',
    'a name that is taken gets 409',
    unique(({ name }) => name),
  ),
  right(
    'unique-names-400',
    'a name that is taken gets 400, in whatever case and however padded',
    unique(({ name }) => name.trim().toLowerCase(), 400),
  ),
  right('unique-ids-and-names', 'an id that is taken gets 409, a name 400', uniqueBoth(409, 400)),
  right('unique-ids-and-names-422', 'an id or a name that is taken gets 422', uniqueBoth(422, 422)),
  inSqlite(
    'sqlite-unique-ids',
    'an id that is taken breaks the primary key, and gets 409',
    'id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT',
    409,
  ),
  inSqlite(
    'sqlite-unique-both',
    'an id or a name that is taken breaks a constraint, and gets 400',
    'id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, tag TEXT',
    400,
  ),
];
