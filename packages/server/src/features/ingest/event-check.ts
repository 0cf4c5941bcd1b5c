// One event, accepted by hand: the schema takes several times as long, thousands of times a batch.
// Null says nothing against it; the schema is asked then, and words the refusal. A test holds the
// two against each other.
import {
  INGEST_DURATION_MS_MAX,
  INGEST_PATH_CHARS_MAX,
  INGEST_SHORT_CHARS_MAX,
  INGEST_STATUS_MAX,
  INGEST_STATUS_MIN,
  INGEST_WEIGHT_MAX,
} from '@keyrail/protocol/limits.ts';
import { countChars, flawOf } from '@keyrail/protocol/text.ts';
import type { Env } from '../../doors/reach.ts';
import { instantReader, type ReadInstant } from './instant.ts';

/** What is kept of an event; its method, path, route and request id are checked and forgotten. */
export type TelemetryEvent = {
  atMs: number;
  projectId: string;
  env: Env;
  tenantId: string | null;
  keyId: string | null;
  isError: boolean;
  durationMs: number;
  isDegraded: boolean;
  denialReason: string | null;
  /** How many requests it stands for. */
  weight: number;
};

const ERROR_STATUS_MIN = 400;

/** What all events of a batch share: its rate, and readers that remember what they have read. */
export type Surroundings = { rate: number; instant: ReadInstant; id: ReadId };

export const surroundingsOf = (rate: number): Surroundings => ({
  rate,
  instant: instantReader(),
  id: idReader(),
});

export function acceptedEvent(value: unknown, batch: Surroundings): TelemetryEvent | null {
  if (!isObject(value) || !hasTexts(value)) return null;
  const { env, status, duration_ms: durationMs, degraded = false } = value;
  const { denial_reason: denialReason = null, sample_rate: rate = batch.rate } = value;
  const atMs = batch.instant(value.ts);
  const projectId = batch.id(value.project_id);
  const tenantId = optional(value.tenant_id, batch.id);
  const keyId = optional(value.key_id, batch.id);
  if (atMs === null || !projectId || tenantId === undefined || keyId === undefined) return null;
  if (env !== 'live' && env !== 'test') return null;
  if (!isNumber(status, INGEST_STATUS_MIN, INGEST_STATUS_MAX)) return null;
  if (!Number.isInteger(status)) return null;
  if (!isNumber(durationMs, 0, INGEST_DURATION_MS_MAX) || typeof degraded !== 'boolean')
    return null;
  if (denialReason !== null && !isText(denialReason, INGEST_SHORT_CHARS_MAX)) return null;
  if (!isRate(rate)) return null;
  return {
    ...{ atMs, projectId, env, tenantId, keyId, durationMs, denialReason },
    isError: status >= ERROR_STATUS_MIN,
    isDegraded: degraded,
    weight: Math.min(1 / rate, INGEST_WEIGHT_MAX),
  };
}

/** Everything that is only said, and not counted by. */
function hasTexts(value: Record<string, unknown>): boolean {
  const { display_prefix: prefix = null, route = null, request_id: requestId = null } = value;
  return (
    isText(value.method, INGEST_SHORT_CHARS_MAX) &&
    isText(value.path, INGEST_PATH_CHARS_MAX) &&
    (route === null || isText(route, INGEST_PATH_CHARS_MAX)) &&
    (prefix === null || isText(prefix, INGEST_SHORT_CHARS_MAX)) &&
    (requestId === null || isText(requestId, INGEST_SHORT_CHARS_MAX))
  );
}

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

export const idIn = (value: unknown): string | null =>
  typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null;

export type ReadId = (value: unknown) => string | null;

/** The same text is judged once, and is one string from then on: it is found by again and again. */
function idReader(): ReadId {
  const known = new Map<unknown, string | null>();
  return (value) => {
    let id = known.get(value);
    if (id === undefined) {
      id = idIn(value);
      known.set(value, id);
    }
    return id;
  };
}

/** Undefined is what is neither an id nor left out. */
const optional = (value: unknown, read: ReadId): string | null | undefined =>
  value === undefined || value === null ? null : (read(value) ?? undefined);

export const isText = (value: unknown, charsMax: number): value is string =>
  typeof value === 'string' &&
  (value.length <= charsMax || countChars(value, charsMax) <= charsMax) &&
  flawOf(value) === null;

export const isNumber = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && value >= min && value <= max;

export const isRate = (value: unknown): value is number => isNumber(value, 0, 1) && value > 0;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
