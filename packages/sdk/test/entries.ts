// Numbered keys with random properties, for tests of the policy table and the cache.
import { createHash } from 'node:crypto';
import type { Chance } from '@keyrail/testing/seeded-scheduler.ts';
import { digestFromHex, ID_WORDS, idText } from '../src/policy/table/digest.ts';
import { IDS_WORDS } from '../src/policy/table/ids.ts';
import { importedEnv, importedPrefix } from '../src/policy/table/imported.ts';
import { isImported, rowOf } from '../src/policy/table/linked-ids.ts';
import { EXPIRY_AT, expiryOf, LINK_AT } from '../src/policy/table/shard.ts';
import type { Entry, PolicyTable } from '../src/policy/table/table.ts';

export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

export const uuidOf = (number: number, kind = 1): string => {
  const hex = sha256Hex(`${kind}:${number}`);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
};

/**
 * Returns the nth key. Its properties are picked at random from a few values, because production
 * keys share most of theirs too.
 */
export const entryOf = (number: number, chance: Chance): Entry => ({
  lookupHash: sha256Hex(`key ${number}`),
  keyId: uuidOf(number),
  tenantId: uuidOf(number % 7, 2),
  env: chance.percent(50) ? 'live' : 'test',
  scopes: chance.pick([[], ['a'], ['a', 'b'], ['b', 'a'], [`own:${number}`]]),
  expiresAt: chance.percent(30) ? 1_700_000_000_000 + number : Number.POSITIVE_INFINITY,
  limits: chance.pick([
    [],
    [{ id: 'r', limit: 1 + chance.below(3), windowMs: 1000, algorithm: 'fixed', scope: 'key' }],
  ]),
});

/** Like `entryOf`, but some of the keys are imported. */
export const mixedEntryOf = (number: number, chance: Chance): Entry => ({
  ...entryOf(number, chance),
  ...(chance.percent(40) && {
    importedPrefix: 'sk_live_ key of Globex!~'.slice(0, 1 + (number % 24)),
  }),
});

/**
 * What a table stores for a key. A native key's environment is part of its text, so it isn't
 * stored.
 */
export function storedOf({ env, ...entry }: Entry): Stored {
  return entry.importedPrefix === undefined ? entry : { ...entry, env };
}

type Stored = Omit<Entry, 'env'> & Partial<Pick<Entry, 'env'>>;

/** Returns a key's data in a table; null if the key is unknown. */
export function toldBy(table: PolicyTable, lookupHash: string): Stored | null {
  const place = table.find(digestFromHex(lookupHash));
  if (place === -1) return null;
  const record = table.wordsOf(place);
  const at = table.startOf(place);
  const link = record[at + LINK_AT] ?? 0;
  const ids = table.ids.of(link);
  const words = ids.wordsOf(rowOf(link));
  const start = ids.startOf(rowOf(link));
  const { scopes, limits } = table.termsIn(record, at);
  return {
    lookupHash,
    keyId: idText(words, start),
    tenantId: idText(words, start + ID_WORDS),
    ...(isImported(link) && {
      env: importedEnv(words, start + IDS_WORDS),
      importedPrefix: importedPrefix(words, start + IDS_WORDS),
    }),
    scopes: [...scopes],
    expiresAt: expiryOf(record[at + EXPIRY_AT] ?? 0, record[at + EXPIRY_AT + 1] ?? 0),
    limits: [...limits],
  };
}
