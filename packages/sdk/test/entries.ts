// Keys for tests of the table and the cache, random or by number.
import { createHash } from 'node:crypto';
import type { Chance } from '@keyrail/testing/seeded-scheduler.ts';
import { digestFromHex, ID_WORDS, idText } from '../src/policy/table/digest.ts';
import { EXPIRY_AT, expiryOf, ROW_AT } from '../src/policy/table/shard.ts';
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

/** The n-th key, with random properties from a small set, as in production. */
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

/** The data of a key in a table; null if it is unknown. */
export function toldBy(table: PolicyTable, lookupHash: string): Omit<Entry, 'env'> | null {
  const place = table.find(digestFromHex(lookupHash));
  if (place === -1) return null;
  const record = table.wordsOf(place);
  const at = table.startOf(place);
  const row = (record[at + ROW_AT] ?? 0) - 1;
  const words = table.ids.wordsOf(row);
  const start = table.ids.startOf(row);
  const { scopes, limits } = table.termsIn(record, at);
  return {
    lookupHash,
    keyId: idText(words, start),
    tenantId: idText(words, start + ID_WORDS),
    scopes: [...scopes],
    expiresAt: expiryOf(record[at + EXPIRY_AT] ?? 0, record[at + EXPIRY_AT + 1] ?? 0),
    limits: [...limits],
  };
}
