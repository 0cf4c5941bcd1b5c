// One request as described by an adapter: how its key is found, and its telemetry event.
import { randomUUID } from 'node:crypto';
import { HEADER_CHARS_MAX } from '@keyrail/protocol/wire/header-bounds.ts';
import { trimmed } from '@keyrail/protocol/wire/trim.ts';
import type { IncomingCall } from '../api/admission.ts';
import type { Env } from '../api/context.ts';
import type { KeyIdentity } from '../api/decision.ts';
import type { Clock } from '../clock.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/**
 * How a request ended, and what is known about its key; `reason` is null unless the request was
 * denied.
 */
type CallEnd = {
  status: number;
  key: KeyIdentity | null;
  degraded: boolean;
  reason: string | null;
};

/** One request, and its report to telemetry. */
export type CallReport = {
  call: IncomingCall;
  routeName: string | null;
  end(end: CallEnd): void;
};

/**
 * Begins the report of one request. Work shared by all reports is done once, when this function is
 * created.
 */
export type BeginReport = (call: IncomingCall, name: string | undefined) => CallReport;

const VISIBLE = /^[\x21-\x7e]+$/;

type ReportParts = {
  settings: { secretKey: string; env: Env | null };
  clock: Clock;
  telemetry: Telemetry;
};

export function createReports({ settings, clock, telemetry }: ReportParts): BeginReport {
  // A test secret key may not report live events, even when the rejected key was live.
  const forcedEnv = settings.secretKey.startsWith('krsk_test_') ? 'test' : null;
  const nextId = requestIds();
  const timeText = timeTexts();

  return (call, name) => {
    const began = clock.monotonicMs();
    const routeName = name ?? call.route ?? null;
    const end = ({ status, key, degraded, reason }: CallEnd) =>
      telemetry.record(key?.keyId ?? key?.displayPrefix ?? null, began, () => {
        const given = call.header('x-request-id');
        return {
          ts: timeText(clock.now()),
          env: forcedEnv ?? key?.env ?? settings.env ?? 'live',
          tenant_id: key?.tenantId ?? null,
          key_id: key?.keyId ?? null,
          display_prefix: key?.displayPrefix ?? null,
          method: call.method,
          // A path may contain the vendor's secrets, such as the token in a link.
          path: routeName ?? call.path,
          route: routeName,
          status,
          duration_ms: clock.monotonicMs() - began,
          degraded,
          denial_reason: reason,
          request_id: isRequestId(given) ? given : nextId(),
        };
      });
    return { call, routeName, end };
  };
}

const isRequestId = (given: string | null | undefined): given is string =>
  typeof given === 'string' &&
  given.length <= HEADER_CHARS_MAX['x-request-id'] &&
  VISIBLE.test(given);

/** Creates IDs that are unique across processes, which costs less than a UUID for each request. */
function requestIds(): () => string {
  const own = randomUUID();
  let count = 0;
  return () => {
    count += 1;
    return `${own}.${count}`;
  };
}

/**
 * Formats times like `toISOString`, but calls it only once per second. In an Express server under
 * load, one call took 5 µs, as long as a decision (`npm run bench -- sdk`, 2026-11).
 */
export function timeTexts(): (ms: number) => string {
  let second = Number.NaN;
  let upToSecond = '';
  return (ms) => {
    const current = Math.floor(ms / 1000);
    if (current !== second) {
      second = current;
      upToSecond = new Date(current * 1000).toISOString().slice(0, -'000Z'.length);
    }
    const rest = Math.floor(ms) - current * 1000;
    return `${upToSecond}${String(rest).padStart(3, '0')}Z`;
  };
}

/**
 * Returns the presented key, or null. `call.key` is used as it is. Otherwise, the first header with
 * a Keyrail key is used, so that a route can also accept other bearer tokens; if there is none, the
 * first credential found is used.
 */
export function keyTextOf(call: IncomingCall, headers: readonly string[]): string | null {
  if (call.key !== undefined) return call.key;
  let first: string | null = null;
  for (const name of headers) {
    const value = call.header(name);
    if (!value) continue;
    const text = textIn(name, value);
    if (text?.startsWith('kr_')) return text;
    first ??= text;
  }
  return first;
}

/** Stands in for a header value that is too long to be a key, and is rejected as malformed. */
const TOO_LONG = '-';

function textIn(name: string, value: string): string | null {
  const isBearer = name === 'authorization';
  if (value.length > HEADER_CHARS_MAX[isBearer ? name : 'key']) return TOO_LONG;
  // Spaces and tabs around a header value are not part of it; all other characters are.
  return isBearer ? bearerOf(value) : trimmed(value, ' \t');
}

const USUAL = 'Bearer ';
const USUAL_CHARS = USUAL.length;

/** The usual spelling, `Bearer` and one space, takes a fast path without a regular expression. */
function bearerOf(value: string): string | null {
  const isUsual = value.startsWith(USUAL) && value.length > USUAL_CHARS;
  if (isUsual && !value.includes(' ', USUAL_CHARS) && !value.includes('\t', USUAL_CHARS)) {
    return value.slice(USUAL_CHARS);
  }
  return /^bearer +(\S+) *$/i.exec(value)?.[1] ?? null;
}
