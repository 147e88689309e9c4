/** The environment variable that contains the token, unless a target names another one. */
export const TOKEN_VARIABLE = 'PLANT_STORE_TOKEN';

/** How a record and a shell command write the token. */
export const TOKEN_IN_SHELL = `$${TOKEN_VARIABLE}`;
