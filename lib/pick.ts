/** Some properties of an object, in this order, as far as it has them. */
export const pick = <T extends object, K extends keyof T>(from: T, ...keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(
    keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]),
  ) as unknown as Pick<T, K>;

/** The other properties of an object. */
export const omit = <T extends object, K extends keyof T>(from: T, ...keys: readonly K[]): Omit<T, K> =>
  Object.fromEntries(
    Object.entries(from).filter(([key]) => !(keys as readonly string[]).includes(key)),
  ) as Omit<T, K>;
