// Admits one request: decision, then rate limits, then idempotency. Adapters turn a framework's
// request into an IncomingCall and an Admission into a response; this file knows no framework and
// never throws into one.

import type { RateLimitRule, RateLimitState, RequestContext } from '../api/context.ts';
import type { RouteOptions } from '../api/decision.ts';
import { type Admit, isAtHand, type Parts } from '../api/keyrail.ts';
import { createIdempotency, type Hold, type Idempotency } from '../idempotency/idempotency.ts';
import { createLimits, type Limits, limitHeaders } from '../limits/limits.ts';
import { createTelemetry, type TelemetryState } from '../telemetry/telemetry.ts';
import { SDK } from '../version.ts';
import { type Desk, type IncomingCall, keyTextOf, openDesk, type Visit } from './call-report.ts';
import { claimCall, wantsClaim } from './claim-call.ts';
import { codeOf, type Refusal, type Refused, refuse, refuseKey } from './refusal.ts';
import { type HandlerOutcome, Settlement } from './settlement.ts';

export type { IncomingCall };

/** The handler may run. */
export type Admitted<R = unknown> = {
  readonly kind: 'admitted';
  /** Null when the route skips verification. */
  readonly context: RequestContext<R> | null;
  /** To be added to the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many bytes of the response body `settle` needs; 0 for none. */
  readonly captureBytesMax: number;
  /** To be called when the handler has ended. Never throws, never blocks. */
  settle(outcome: HandlerOutcome): void;
};

/** The handler must not run: this is the response, a refusal or a replay. */
export type Answered = {
  readonly kind: 'refused' | 'replayed';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
};

export type Admission<R = unknown> = Admitted<R> | Answered;

/** The admission functions that `createKeyrail` uses. */
export type Admittance<R = unknown> = Admit<R> & {
  /** Never rejects. */
  admit(call: IncomingCall, route?: RouteOptions): Promise<Admission<R>>;
  /** Like `admit`, but synchronous if no request to the control plane is needed. Never throws. */
  enter(call: IncomingCall, route?: RouteOptions): Admission<R> | Promise<Admission<R>>;
  telemetry(): TelemetryState;
};

/** How long `close` may take to send what is left to the control plane. */
const CLOSE_MS_MAX = 5_000;

type Around<R> = Parts<R> & { limits: Limits; idempotency: Idempotency; desk: Desk };
type Caught<R> = {
  visit: Visit;
  context: RequestContext<R>;
  route: RouteOptions;
  keyText: string;
};

export function createAdmit<R>(parts: Parts<R>): Admittance<R> {
  const telemetry = createTelemetry({ ...parts, sdk: SDK });
  const limits = createLimits(parts);
  const idempotency = createIdempotency(parts);
  const around = { ...parts, limits, idempotency, desk: openDesk({ ...parts, telemetry }) };
  const refuseFault = (error: unknown): Answered => {
    parts.log('error', `keyrail: a request was refused because of an internal error: ${error}`);
    return { kind: 'refused', ...refuse('unavailable') };
  };
  const enter: Admittance<R>['enter'] = (call, route = {}) => {
    try {
      const admission = admitCall(around, call, route);
      return isAtHand(admission) ? admission : admission.catch(refuseFault);
    } catch (error) {
      return refuseFault(error);
    }
  };
  return {
    admit: async (call, route) => enter(call, route),
    enter,
    telemetry: telemetry.state,
    close: async () => {
      // The SDK's timers do not keep the process alive, but it must live until this is sent.
      const alive = setInterval(() => {}, CLOSE_MS_MAX);
      await Promise.all([telemetry.close(CLOSE_MS_MAX), idempotency.drain(CLOSE_MS_MAX)]);
      clearInterval(alive);
    },
  };
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});
const NO_COUNTERS: readonly RateLimitState[] = Object.freeze([]);

const unwatched: Admitted<never> = {
  kind: 'admitted',
  context: null,
  headers: NO_HEADERS,
  captureBytesMax: 0,
  settle: () => {},
};

/** Returns a promise only if the control plane is needed; most requests need none. */
function admitCall<R>(
  around: Around<R>,
  call: IncomingCall,
  route: RouteOptions,
): Admission<R> | Promise<Admission<R>> {
  if (route.skip) return unwatched;
  const visit = around.desk(call, route.name);
  const keyText = keyTextOf(call, around.settings.keyHeaders);
  const decision = around.verify(keyText, route);
  if (!decision.allowed) {
    const { reason, key: caller, degraded, missingScopes } = decision;
    const refusal = refuseKey(reason, missingScopes);
    visit.report({ status: refusal.status, caller, degraded, reason: codeOf(reason) });
    return { kind: 'refused', ...refusal };
  }
  const { context, limits: rules } = decision;
  const caught = { visit, context, route, keyText: keyText ?? '' };
  context.rateLimit = NO_COUNTERS;
  const isCounted = route.rateLimit !== false && rules.length > 0;
  if (isCounted || wantsClaim(call, route))
    return askAround(around, caught, isCounted ? rules : []);
  return admitted(around, caught, { headers: NO_HEADERS, hold: null });
}

async function askAround<R>(
  around: Around<R>,
  caught: Caught<R>,
  rules: readonly RateLimitRule[],
): Promise<Admission<R>> {
  const counted = rules.length > 0 ? await count(around, caught, rules) : { headers: NO_HEADERS };
  if ('refused' in counted) return refused(caught, counted.reason, counted.refused);

  const { headers } = counted;
  const claimed = await claimCall(around.idempotency, caught);
  if ('refused' in claimed) {
    const { refused: refusal, reason } = claimed;
    return refused(caught, reason, { ...refusal, headers: { ...refusal.headers, ...headers } });
  }
  if ('replayed' in claimed) {
    const { status, body, headers: stored } = claimed.replayed;
    const { degraded } = caught.context;
    caught.visit.report({ status, caller: caught.context, degraded, reason: null });
    return { kind: 'replayed', status, headers: { ...stored, ...headers }, body };
  }
  return admitted(around, caught, { headers, hold: claimed.hold });
}

function admitted<R>(
  { clock, log }: Around<R>,
  { visit, context }: Caught<R>,
  { headers, hold }: { headers: Readonly<Record<string, string>>; hold: Hold | null },
): Admitted<R> {
  const settlement = new Settlement({ visit, context, hold, clock });
  return {
    kind: 'admitted',
    context,
    headers,
    captureBytesMax: hold?.bodyBytesMax ?? 0,
    settle: (outcome) => {
      try {
        settlement.end(outcome);
      } catch (error) {
        log('error', `keyrail: failed to record the end of a request: ${error}`);
      }
    },
  };
}

function refused<R>({ visit, context }: Caught<R>, reason: string, refusal: Refusal): Answered {
  visit.report({ status: refusal.status, caller: context, degraded: context.degraded, reason });
  return { kind: 'refused', ...refusal };
}

/** Charges the key's limits and sets `context.rateLimit`; null when they are unreachable. */
async function count<R>(
  { limits }: Around<R>,
  { context, route }: Caught<R>,
  rules: readonly RateLimitRule[],
): Promise<{ headers: Readonly<Record<string, string>> } | Refused> {
  const { cost = 1, onUnavailable = 'allow' } = route.rateLimit || {};
  const verdict = await limits.check(context, rules, cost);
  if (verdict.kind === 'unreachable') {
    context.rateLimit = null;
    if (onUnavailable === 'allow') return { headers: NO_HEADERS };
    return { refused: refuse('unavailable'), reason: 'unavailable' };
  }
  context.rateLimit = verdict.states;
  const headers = limitHeaders(verdict.states);
  if (verdict.allowed) return { headers };
  const { retryAfterSeconds } = verdict;
  const reason = 'rate_limited';
  return { refused: refuse(reason, { retryAfterSeconds, headers }), reason };
}
