// Settings for the database, and for the directory that contains all other data.
import { isPostgres, plainText, secretIf, sizeInBytes, wholeNumber } from './parsers.ts';
import type { Group } from './setting.ts';

export const store = {
  dataDir: {
    name: 'KEYRAIL_DATA_DIR',
    meaning: 'Directory for the embedded database, generated secrets, mail and backups.',
    fallback: './.keyrail',
    parse: plainText,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    meaning: 'PostgreSQL 15 or later. Unset: the embedded database in the data directory.',
    fallback: null,
    isSecret: true,
    parse: (text) => secretIf(isPostgres(text), text, 'must be a postgres:// URL'),
  },
  poolerUrl: {
    name: 'KEYRAIL_DATABASE_POOLER_URL',
    meaning:
      'URL of a connection pooler in transaction mode. DATABASE_URL must still connect directly.',
    fallback: null,
    isSecret: true,
    parse: (text) => secretIf(isPostgres(text), text, 'must be a postgres:// URL'),
  },
  connectionsMax: {
    name: 'KEYRAIL_DATABASE_CONNECTIONS',
    meaning: 'Maximum PostgreSQL connections per process.',
    fallback: '10',
    parse: (text) => wholeNumber(text, 1, 1000),
  },
  bytesMax: {
    name: 'KEYRAIL_DATABASE_BYTES_MAX',
    meaning:
      'Maximum size of the PostgreSQL database, to keep its disk from filling up. Unset: no limit.',
    fallback: null,
    parse: (text) => sizeInBytes(text, 1),
  },
} satisfies Group;
