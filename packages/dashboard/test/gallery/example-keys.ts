// One key in each state.
import type { Answer } from '@keyrail/client';
import { DAY_MS, MINUTE_MS } from '@keyrail/protocol/wire/durations.ts';
import { SAMPLE_KEY } from '@keyrail/protocol/wire/sample-key.ts';

export type Key = Answer<'GET /v1/keys/{id}'>;

export function exampleKeys(nowMs: number): Key[] {
  const at = (ms: number) => new Date(nowMs + ms).toISOString();
  const key = (name: string, changes: Partial<Key>): Key => ({
    ...SAMPLE_KEY,
    id: name.toLowerCase().replaceAll(' ', '-'),
    name,
    created_at: at(-200 * DAY_MS),
    last_used_at: at(-MINUTE_MS),
    ...changes,
  });
  return [
    key('Backend', {}),
    key('Warehouse', { last_used_at: null }),
    key('Importer', { state: 'expiring', expires_at: at(3 * DAY_MS) }),
    key('Leaked', {
      state: 'quarantined',
      quarantined_at: at(-19 * MINUTE_MS),
      expires_at: at(41 * MINUTE_MS),
    }),
    key('Paused', { state: 'disabled', disabled_at: at(-DAY_MS) }),
    key('Old trial', { state: 'expired', expires_at: at(-DAY_MS) }),
    key('A key with a name that is much longer than its column', {
      state: 'revoked',
      revoked_at: at(-DAY_MS),
    }),
  ];
}
