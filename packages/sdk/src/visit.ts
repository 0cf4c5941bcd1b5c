// One call as an adapter describes it: where its key stands, and what telemetry tells of it.
import { randomUUID } from 'node:crypto';
import type { Env } from './context.ts';
import type { Parts } from './parts.ts';
import type { Telemetry } from './telemetry.ts';

/** A request, whatever the framework. */
export type IncomingCall = {
  method: string;
  /** As it came, without the query. */
  path: string;
  /** Without the question mark. */
  query?: string | undefined;
  /** The pattern that the path matched, where the framework tells: `/invoices/:id`. */
  route?: string | null | undefined;
  /** By its lower-case name. */
  header(name: string): string | null | undefined;
  /** The whole body, for idempotent routes; read only when needed. */
  bodyBytes?: (() => Promise<Uint8Array> | Uint8Array) | undefined;
};

/** What telemetry tells about the key, if there was one. */
export type Caller = {
  keyId: string | null;
  tenantId: string | null;
  env: Env;
  displayPrefix: string | null;
};

export type Report = {
  status: number;
  caller: Caller | null;
  degraded: boolean;
  reason: string | null;
};

export type Visit = { call: IncomingCall; routeName: string | null; report(report: Report): void };

/** Opens a visit for each call; what all of them share is worked out once. */
export type Desk = (call: IncomingCall, name: string | undefined) => Visit;

const REQUEST_ID = /^[\x21-\x7e]{1,200}$/;

type DeskParts = Pick<Parts, 'settings' | 'clock'> & { telemetry: Telemetry };

export function openDesk({ settings, clock, telemetry }: DeskParts): Desk {
  // A test secret key may not speak of live, not even of a live key that it refused.
  const spoken = settings.secretKey.startsWith('krsk_test_') ? 'test' : null;
  const nextId = requestIds();
  const timeText = timeTexts();

  return (call, name) => {
    const began = clock.monotonicMs();
    const routeName = name ?? call.route ?? null;
    const report = ({ status, caller, degraded, reason }: Report) =>
      telemetry.record(caller?.keyId ?? caller?.displayPrefix ?? null, began, () => {
        const given = call.header('x-request-id');
        return {
          ts: timeText(clock.now()),
          env: spoken ?? caller?.env ?? settings.env ?? 'live',
          tenant_id: caller?.tenantId ?? null,
          key_id: caller?.keyId ?? null,
          display_prefix: caller?.displayPrefix ?? null,
          method: call.method,
          path: call.path,
          route: routeName,
          status,
          duration_ms: clock.monotonicMs() - began,
          degraded,
          denial_reason: reason,
          request_id: given && REQUEST_ID.test(given) ? given : nextId(),
        };
      });
    return { call, routeName, report };
  };
}

/** Unlike those of any other process, and cheaper than drawing each. */
function requestIds(): () => string {
  const own = randomUUID();
  let count = 0;
  return () => {
    count += 1;
    return `${own}.${count}`;
  };
}

/** Requests of the same millisecond share a text. */
function timeTexts(): (ms: number) => string {
  let known = Number.NaN;
  let text = '';
  return (ms) => {
    if (ms !== known) {
      known = ms;
      text = new Date(ms).toISOString();
    }
    return text;
  };
}

/**
 * The presented key, or null. Of several headers the first that holds a Keyrail key counts, so
 * that a route may take other bearer tokens besides; else whatever stands first.
 */
export function keyTextOf(call: IncomingCall, headers: readonly string[]): string | null {
  let first: string | null = null;
  for (const name of headers) {
    const value = call.header(name);
    if (!value) continue;
    const text = name === 'authorization' ? bearerOf(value) : withoutBlanks(value);
    if (text?.startsWith('kr_')) return text;
    first ??= text;
  }
  return first;
}

/** Spaces and tabs may stand around a header's value; all else is part of it. */
const withoutBlanks = (value: string): string => value.replace(/^[ \t]+|[ \t]+$/g, '');

const USUAL = 'Bearer ';
const USUAL_CHARS = USUAL.length;

/** Most write it the usual way, for which no pattern is needed. */
function bearerOf(value: string): string | null {
  const isUsual = value.startsWith(USUAL) && value.length > USUAL_CHARS;
  if (isUsual && !value.includes(' ', USUAL_CHARS) && !value.includes('\t', USUAL_CHARS)) {
    return value.slice(USUAL_CHARS);
  }
  return /^bearer +(\S+) *$/i.exec(value)?.[1] ?? null;
}
