import { closestMatch } from 'leven';

/** The known name that was most likely meant, or undefined if none is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // Up to a third of the name may be wrong, but at most six characters.
  return closestMatch(name, known, { maxDistance: Math.min(6, Math.ceil(name.length / 3)) });
}

/** Asks whether the nearest known name was meant, or says something else if none is close. */
export function suggestion(name: string, known: readonly string[], otherwise: string): string {
  const close = nearest(name, known);
  return close === undefined ? otherwise : `did you mean ${close}?`;
}
