import { closestMatch } from 'leven';

/** The known name that was most likely meant, or undefined where none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // A third of the name may be wrong, and no more than would be a slip.
  return closestMatch(name, known, { maxDistance: Math.min(6, Math.ceil(name.length / 3)) });
}
