// Settings for backups.
import { isAbsolute, join, relative, sep } from 'node:path';
import { DAY_MS, MINUTE_MS } from '../base/duration.ts';
import { durationMs, isSender, plainText, secretIf, wholeNumber } from './parsers.ts';
import { Fault, type Group, type ValuesOf } from './setting.ts';

export const backups = {
  dir: {
    name: 'KEYRAIL_BACKUP_DIR',
    meaning: 'Backup directory. Default: <data dir>/backups.',
    fallback: null,
    parse: plainText,
  },
  everyMs: {
    name: 'KEYRAIL_BACKUP_EVERY',
    meaning:
      'How often the worker creates and tests a backup, or off. Default: 24h in embedded mode.',
    fallback: null,
    parse: (text): number | 'off' =>
      text === 'off' ? text : durationMs(text, MINUTE_MS, 30 * DAY_MS),
  },
  keep: {
    name: 'KEYRAIL_BACKUP_KEEP',
    meaning: 'Number of backups to keep. Older ones are deleted after a successful restore test.',
    fallback: '7',
    parse: (text) => wholeNumber(text, 1, 10_000),
  },
  key: {
    name: 'KEYRAIL_BACKUP_KEY',
    meaning: 'Encrypts backups: a key from keyrail-server backup --new-key. Unset: not encrypted.',
    fallback: null,
    isSecret: true,
    parse: (text) =>
      secretIf(
        /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/.test(text),
        text,
        'must be an age identity; create one with keyrail-server backup --new-key or age-keygen',
      ),
  },
  operatorEmail: {
    name: 'KEYRAIL_OPERATOR_EMAIL',
    meaning:
      'Email address to notify when backups start failing. Unset: only the log and /status show it.',
    fallback: null,
    parse: (text) => {
      if (!isSender(text) || text.includes('<')) throw new Fault('must be an email address');
      return text;
    },
  },
} satisfies Group;

type Store = { dataDir: string; databaseUrl: unknown };

/** `everyMs` is null if backups are not scheduled. */
export function backupsOf(values: ValuesOf<typeof backups>, { dataDir, databaseUrl }: Store) {
  const everyMs = values.everyMs ?? (databaseUrl ? 'off' : DAY_MS);
  return {
    ...values,
    dir: values.dir ?? join(dataDir, 'backups'),
    everyMs: everyMs === 'off' ? null : everyMs,
  };
}

/** Whether losing the data directory would mean losing the backups too. */
export function backupPlaceOf(dataDir: string, { dir }: { dir: string }): 'inside' | 'outside' {
  const way = relative(dataDir, dir);
  const isOutside = isAbsolute(way) || way.split(sep)[0] === '..';
  return isOutside ? 'outside' : 'inside';
}
