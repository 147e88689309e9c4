import { closestMatch } from 'leven';

/** The known name that was most likely meant, or undefined if none is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // Up to a third of the name may be wrong, but at most six characters.
  return closestMatch(name, known, { maxDistance: Math.min(6, Math.ceil(name.length / 3)) });
}
