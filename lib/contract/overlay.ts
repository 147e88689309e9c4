import { jsonpath } from 'json-p3';
import { errorAt, isObject, memberOf, type Pointer } from './document.ts';
import { readDocument } from './read-document.ts';

type JsonPathValue = Parameters<typeof jsonpath.query>[1];

/**
 * Applies an OpenAPI Overlay 1.0 file (section 4.4.3), with JSONPath (RFC 9535), to a copy of a document.
 * @throws DocumentError if the overlay is invalid, or if the target of an action matches nothing
 */
export function applyOverlay(document: unknown, file: string): unknown {
  const overlay = readDocument(file);
  const fail: (pointer: Pointer, problem: string) => never = (pointer, problem) => {
    throw errorAt(overlay, pointer, problem);
  };
  const { value } = overlay;
  if (!isObject(value) || typeof value.overlay !== 'string') {
    return fail([], 'is not an OpenAPI overlay: it has no `overlay` version');
  }
  if (!/^1\.0(\.|$)/.test(value.overlay)) {
    return fail(['overlay'], `overlay version ${value.overlay} is not supported; use 1.0.0`);
  }
  if (!Array.isArray(value.actions) || value.actions.length === 0) {
    return fail(['actions'], 'the overlay has no actions');
  }
  let changed = structuredClone(document);
  for (const [index, action] of value.actions.entries()) {
    const at = ['actions', index];
    if (!isObject(action) || typeof action.target !== 'string') return fail(at, 'the action has no `target`');
    const pointers = find(changed, action.target, (problem) => fail([...at, 'target'], problem));
    // The specification ignores such an action, but then a limit would silently not be checked.
    if (pointers.length === 0) fail([...at, 'target'], `${action.target} matches nothing in the document`);
    if (action.remove === true) {
      changed = without(changed, pointers);
    } else if ('update' in action) {
      for (const pointer of pointers) changed = updated(changed, pointer, action.update);
    } else {
      fail(at, 'the action has neither `update` nor `remove: true`');
    }
  }
  return changed;
}

function find(document: unknown, target: string, fail: (problem: string) => never): (string | number)[][] {
  try {
    return [...jsonpath.query(target, document as JsonPathValue)].map((node) => [...node.location]);
  } catch (error) {
    return fail(`${target} is not a JSONPath: ${(error as Error).message}`);
  }
}

function updated(root: unknown, pointer: readonly (string | number)[], update: unknown): unknown {
  const [key, ...rest] = pointer;
  if (key === undefined) return merged(root, structuredClone(update));
  (root as Record<string | number, unknown>)[key] = updated(memberOf(root, key), rest, update);
  return root;
}

function merged(target: unknown, update: unknown): unknown {
  if (Array.isArray(target)) return [...target, ...(Array.isArray(update) ? update : [update])];
  if (!isObject(target) || !isObject(update)) return update;
  // An assignment to `__proto__` would change the prototype.
  const members = Object.entries(update).map(
    ([key, value]) => [key, Object.hasOwn(target, key) ? merged(target[key], value) : value] as const,
  );
  return Object.fromEntries([...Object.entries(target), ...members]);
}

/** Removes the values at all pointers at once: removing one item of a list would shift the others. */
function without(root: unknown, pointers: readonly (readonly (string | number)[])[]): unknown {
  const lists = new Set<unknown[]>();
  for (const pointer of pointers) {
    const key = pointer.at(-1);
    if (key === undefined) return {};
    const parent = pointer.slice(0, -1).reduce<unknown>(memberOf, root);
    if (Array.isArray(parent)) {
      parent[Number(key)] = GONE;
      lists.add(parent);
    } else if (isObject(parent)) delete parent[key];
  }
  for (const list of lists) list.splice(0, list.length, ...list.filter((element) => element !== GONE));
  return root;
}

const GONE = Symbol('removed by an overlay');
