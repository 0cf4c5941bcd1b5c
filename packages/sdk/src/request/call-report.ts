// One request as an adapter describes it: how its key is found, and its telemetry event.
import { randomUUID } from 'node:crypto';
import type { Env } from '../api/context.ts';
import type { Parts } from '../api/keyrail.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** A request, independent of the framework. */
export type IncomingCall = {
  method: string;
  /** As received, without the query. */
  path: string;
  /** Without the question mark. */
  query?: string | undefined;
  /** The route pattern, such as `/invoices/:id`, if the framework provides it. */
  route?: string | null | undefined;
  /** `name` is in lower case. */
  header(name: string): string | null | undefined;
  /** The whole body, for idempotent routes; read only when needed. */
  bodyBytes?: (() => Promise<Uint8Array> | Uint8Array) | undefined;
};

/** What telemetry reports about the key of a request. */
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

/** Creates the visit of one request; the work that all visits share is done once. */
export type Desk = (call: IncomingCall, name: string | undefined) => Visit;

const REQUEST_ID = /^[\x21-\x7e]{1,200}$/;

type DeskParts = Pick<Parts, 'settings' | 'clock'> & { telemetry: Telemetry };

export function openDesk({ settings, clock, telemetry }: DeskParts): Desk {
  // A test secret key may not report live events, not even for a live key that was refused.
  const forcedEnv = settings.secretKey.startsWith('krsk_test_') ? 'test' : null;
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
          env: forcedEnv ?? caller?.env ?? settings.env ?? 'live',
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

/** Unique across processes, and cheaper than one UUID per request. */
function requestIds(): () => string {
  const own = randomUUID();
  let count = 0;
  return () => {
    count += 1;
    return `${own}.${count}`;
  };
}

/** Formats a time; requests within the same millisecond share the text. */
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
 * The presented key, or null. The first header with a Keyrail key counts, so that a route may
 * accept other bearer tokens too; if there is none, the first credential found.
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

/** Spaces and tabs around a header value are not part of it; all other characters are. */
const withoutBlanks = (value: string): string => value.replace(/^[ \t]+|[ \t]+$/g, '');

const USUAL = 'Bearer ';
const USUAL_CHARS = USUAL.length;

/** The usual spelling takes a fast path without a regular expression. */
function bearerOf(value: string): string | null {
  const isUsual = value.startsWith(USUAL) && value.length > USUAL_CHARS;
  if (isUsual && !value.includes(' ', USUAL_CHARS) && !value.includes('\t', USUAL_CHARS)) {
    return value.slice(USUAL_CHARS);
  }
  return /^bearer +(\S+) *$/i.exec(value)?.[1] ?? null;
}
