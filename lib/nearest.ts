import { closestMatch } from 'leven';

/** Returns the known name that was most likely meant; undefined if none is similar. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // Up to a third of the name may be mistyped, but no more than six characters.
  return closestMatch(name, known, { maxDistance: Math.min(6, Math.ceil(name.length / 3)) });
}

/** Asks whether the most similar known name was meant; if there is none, returns `otherwise`. */
export function suggestion(name: string, known: readonly string[], otherwise: string): string {
  const close = nearest(name, known);
  return close === undefined ? otherwise : `did you mean ${close}?`;
}
