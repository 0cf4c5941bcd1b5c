// In-memory idempotency records that respond like the control plane's.

import { randomUUID } from 'node:crypto';
import type { IdempotencyClaim } from '@keyrail/protocol/objects/idempotency.ts';
import {
  IDEMPOTENCY_LOCK_MS,
  IDEMPOTENCY_STORED_BODY_BYTES_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import { fieldsOf } from '../json.ts';

type Wire = Record<string, unknown>;

type Stored = IdempotencyClaim['response'];
type Entry = { fingerprint: unknown; token: string; lockedUntil: number; response: Stored };
type Step = 'claim' | 'complete' | 'release' | 'heartbeat';

export function createTestIdempotency(now: () => number): (step: Step, body: Wire) => object {
  const records = new Map<string, Entry>();
  const held = (body: Wire): Entry | null => {
    const record = records.get(scopeOf(body));
    return record && record.response === null && record.token === body.lock_token ? record : null;
  };
  const steps: Record<Step, (body: Wire) => object> = {
    claim: (body) => claim(records, body, now()),
    heartbeat: (body) => {
      const record = held(body);
      if (record) record.lockedUntil = now() + IDEMPOTENCY_LOCK_MS;
      return outcome(record !== null);
    },
    release: (body) => outcome(held(body) !== null && records.delete(scopeOf(body))),
    complete: (body) => {
      const record = held(body);
      const text = typeof body.body === 'string' ? body.body : null;
      const fits =
        text !== null && Buffer.from(text, 'base64').length <= IDEMPOTENCY_STORED_BODY_BYTES_MAX;
      if (record) {
        record.response = {
          status: Number(body.status),
          headers: textsIn(body.headers),
          body: fits ? text : null,
          body_stored: fits,
        };
      }
      return { ...outcome(record !== null), body_stored: record !== null && fits };
    },
  };
  return (step, body) => steps[step](body);
}

const textsIn = (headers: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fieldsOf(headers)).map(([name, value]) => [name, String(value)]),
  );

const scopeOf = ({ env, scope_hash }: Wire): string => `${env} ${scope_hash}`;

const outcome = (isOk: boolean) => ({
  object: 'idempotency_record',
  outcome: isOk ? 'ok' : 'lost',
});

function claim(records: Map<string, Entry>, body: Wire, now: number): IdempotencyClaim {
  const scope = scopeOf(body);
  const { fingerprint } = body;
  const known = records.get(scope);
  const answer = {
    object: 'idempotency_claim' as const,
    lock_token: null,
    lock_ms: IDEMPOTENCY_LOCK_MS,
    stolen: false,
    retry_after_ms: null,
    response: null,
    max_body_bytes: IDEMPOTENCY_STORED_BODY_BYTES_MAX,
  };
  if (known && known.fingerprint !== fingerprint) return { ...answer, state: 'mismatch' };
  if (known?.response) return { ...answer, state: 'replay', response: known.response };
  if (known && known.lockedUntil > now) {
    return { ...answer, state: 'in_progress', retry_after_ms: known.lockedUntil - now };
  }
  const token = randomUUID();
  records.set(scope, {
    fingerprint,
    token,
    lockedUntil: now + IDEMPOTENCY_LOCK_MS,
    response: null,
  });
  return { ...answer, state: 'execute', lock_token: token, stolen: known !== undefined };
}
