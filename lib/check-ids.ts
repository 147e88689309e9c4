/**
 * Returns a function that tells whether an id, or its area, matches one of the patterns. `*` stands for any
 * characters.
 */
export function matcherOf(patterns: readonly string[]): (id: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const escaped = pattern.replace(/\/$/, '').replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`^${escaped.replaceAll('*', '.*')}(?:/.*)?$`);
  });
  return (id) => expressions.some((expression) => expression.test(id));
}

/** Returns the first pattern that matches none of the ids; undefined if every pattern matches some id. */
export const unmatched = (patterns: readonly string[], ids: readonly string[]): string | undefined =>
  patterns.find((pattern) => !ids.some(matcherOf([pattern])));

/** Returns the area of a check: the part of its id before the slash. */
export const areaOf = ({ id }: { readonly id: string }): string => id.slice(0, id.indexOf('/'));
