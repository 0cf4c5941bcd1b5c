// One key in each state.
import type { Answer } from '@keyrail/client';
import { SAMPLE_KEY } from '@keyrail/protocol/wire/sample-key.ts';

export type Key = Answer<'GET /v1/keys/{id}'>;

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

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
    key('Importer', { expires_at: at(3 * DAY_MS) }),
    key('Leaked', { quarantined_at: at(-19 * MINUTE_MS) }),
    key('Paused', { disabled_at: at(-DAY_MS) }),
    key('Old trial', { expires_at: at(-DAY_MS) }),
    key('A key with a name that is much longer than its column', { revoked_at: at(-DAY_MS) }),
  ];
}
