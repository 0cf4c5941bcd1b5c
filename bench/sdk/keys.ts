// The nth key in the SDK's benchmarks, which is the same in every process.
import { createHash } from 'node:crypto';
import { type MintedCredential, mintCredential } from '@keyrail/protocol/wire/key-format.ts';

export const BENCH_PROJECT = '01890000-0000-7000-8000-0000000000aa';
const WORKSPACE = '01890000-0000-7000-8000-0000000000bb';
const SCOPE_SETS: string[][] = [[], ['invoices:read'], ['invoices:read', 'invoices:write'], ['*']];
const FAR_FUTURE = '2099-01-01T00:00:00.000Z';

const bytesOf = (number: number) => createHash('sha256').update(`bench ${number}`).digest();

export const keyOf = (number: number): MintedCredential => {
  const bytes = bytesOf(number);
  return mintCredential('api_key', 'live', (size) => bytes.subarray(0, size));
};

const idOf = (kind: number, number: number) =>
  `0189${kind.toString(16).padStart(4, '0')}-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/**
 * Builds a feed entry. Ten keys share a tenant, there are a few different scope sets, and every
 * other key expires.
 */
export function entryOf(number: number) {
  const { lookupHash, displayPrefix } = keyOf(number);
  return {
    key_id: idOf(1, number),
    tenant_id: idOf(2, Math.floor(number / 10)),
    env: 'live',
    lookup_hash: lookupHash,
    display_prefix: displayPrefix,
    scopes:
      number % 7 === 0
        ? ['invoices:read', `team:${number % 1000}`]
        : (SCOPE_SETS[number % SCOPE_SETS.length] ?? []),
    expires_at: number % 2 === 0 ? null : FAR_FUTURE,
    rate_limits: [{ id: 'burst', limit: 100, window_ms: 1000, algorithm: 'sliding', scope: 'key' }],
  };
}

/**
 * The fields that precede `keys` in a policy response. The version is the same as if the
 * keys had been created one at a time.
 */
export const headOf = (keys: number) => ({
  workspace_id: WORKSPACE,
  project_id: BENCH_PROJECT,
  env: null,
  version: 1 + keys,
  project_deleted: false,
  generated_at: '2026-01-01T00:00:00.000Z',
});
