/** The environment variable that contains the token, unless a target names another one. */
export const TOKEN_VARIABLE = 'PLANT_STORE_TOKEN';
