import initSqlJs from 'sql.js';
import { type NewPlant, type Steps, startStore } from '../../reference/store.ts';
import { type RightStore, right, rightBy } from '../fleet.ts';
import { conflict, seen, unique, withFreshState } from '../helpers.ts';

/** Keeps ids and names unique, each with a status of its own. */
const uniqueBoth = (ofId: number, ofName: number) =>
  withFreshState(() => {
    const [ids, names] = [new Set<unknown>(), new Set<unknown>()];
    return (reference: Steps): Partial<Steps> => ({
      create(plant, request) {
        if (ids.has(plant.id)) return conflict(ofId);
        if (names.has(plant.name)) return conflict(ofName);
        ids.add(plant.id);
        names.add(plant.name);
        return reference.create(plant, request);
      },
    });
  });

const keepsUnique = rightBy(unique);

/** Remembers every id that it was sent with a valid token, and rejects it in one way or the other. */
const remembering = withFreshState(() => {
  const [ids, names] = [new Set<bigint>(), new Set<string>()];
  let count = 0;
  const known = () => {
    count += 1;
    return conflict(count % 2 === 0 ? 400 : 409);
  };
  return (reference: Steps): Partial<Steps> => ({
    validate(value, request) {
      try {
        return reference.validate(value, request);
      } catch (error) {
        const { id } = seen(request);
        if (id !== undefined) ids.add(id);
        throw error;
      }
    },
    create(plant, request) {
      if (ids.has(plant.id)) return known();
      ids.add(plant.id);
      if (/^\p{L}?$/u.test(plant.name) || names.has(plant.name)) return known();
      names.add(plant.name);
      return reference.create(plant, request);
    },
  });
});

/** Keeps its plants in SQLite, whose constraints decide what is a duplicate. */
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
        create: (plant, request) => (isKept(plant) ? reference.create(plant, request) : conflict(status)),
      }),
    });
  },
});

/**
 * Stores that keep ids or names unique, which is unspecified. They remember plants for as long as they run.
 */
export const uniqueness: readonly RightStore[] = [
  keepsUnique('unique-ids', '409 if the id exists', ({ id }) => id),
  keepsUnique('unique-ids-400', '400 with an Error if the id exists', ({ id }) => id, 400),
  keepsUnique(
    'unique-names-303',
    '303 to the plant that has the name already, ignoring case (RFC 9110 section 15.4.4)',
    ({ name }) => name.toLowerCase(),
    303,
  ),
  keepsUnique('unique-ids-302', '302 to the plant that has the id already', ({ id }) => id, 302),
  keepsUnique('unique-names', '409 if the name exists', ({ name }) => name),
  keepsUnique(
    'unique-names-400',
    '400 if the name exists, ignoring case and padding',
    ({ name }) => name.trim().toLowerCase(),
    400,
  ),
  right(
    'unique-by-turns',
    '409 or 400 by turns if the id or name exists or a rejected body had that id; has all names of one letter',
    remembering,
  ),
  right('unique-ids-and-names', '409 if the id exists, 400 if the name exists', uniqueBoth(409, 400)),
  right('unique-ids-and-names-422', '422 if the id or name exists', uniqueBoth(422, 422)),
  inSqlite(
    'sqlite-unique-ids',
    '409 if the id exists: it violates the primary key',
    'id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT',
    409,
  ),
  inSqlite(
    'sqlite-unique-both',
    '400 if the id or name exists: it violates a constraint',
    'id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, tag TEXT',
    400,
  ),
];
