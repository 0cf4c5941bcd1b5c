/** The version of the server, as in its package.json. */
export const VERSION = '0.1.0';
