/** The server's version, as in its package.json. */
export const VERSION = '0.1.0';
