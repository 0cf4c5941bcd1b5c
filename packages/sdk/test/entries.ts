// Keys for tests of the table and the cache, by chance or by number.
import { createHash } from 'node:crypto';
import type { Chance } from '../../../tests/turns.ts';
import { KEY_ID_AT, SCOPES_AT, TENANT_ID_AT } from '../src/policy/rows.ts';
import type { Entry, PolicyTable } from '../src/policy/table.ts';
import { digestFromHex, idText } from '../src/policy/words.ts';

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

/** The n-th key, with properties that chance chooses among few, as in life. */
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

/** What a table says of a key; null when it knows nothing. */
export function toldBy(table: PolicyTable, lookupHash: string): Omit<Entry, 'env'> | null {
  const row = table.find(digestFromHex(lookupHash));
  if (row === -1) return null;
  const words = table.rows.wordsOf(row);
  const start = table.rows.startOf(row);
  return {
    lookupHash,
    keyId: idText(words.subarray(start + KEY_ID_AT, start + TENANT_ID_AT)),
    tenantId: idText(words.subarray(start + TENANT_ID_AT, start + SCOPES_AT)),
    scopes: [...table.scopes(row)],
    expiresAt: table.expiresAt(row),
    limits: [...table.limits(row)],
  };
}
