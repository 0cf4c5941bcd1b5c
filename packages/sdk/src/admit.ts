// One request, from its headers to an admission: decision, then limits, then idempotency. Adapters
// translate into an IncomingCall and out of an Admission; nothing here knows any framework, and
// nothing here ever throws into one.
import { claimCall } from './claim-call.ts';
import type { RateLimitRule, RequestContext } from './context.ts';
import type { RouteOptions } from './decision.ts';
import { createIdempotency, type Hold, type Idempotency } from './idempotency.ts';
import { createLimits, type Limits, limitHeaders } from './limits.ts';
import type { Admit, Parts } from './parts.ts';
import { type Refusal, type Refused, refuse, refuseKey } from './refusal.ts';
import { type HandlerOutcome, settlement } from './settlement.ts';
import { createTelemetry, type Telemetry, type TelemetryState } from './telemetry.ts';
import { SDK } from './version.ts';
import { type IncomingCall, keyTextOf, openVisit, type Visit } from './visit.ts';

export type { IncomingCall };

/** The handler may run. */
export type Admitted<R = unknown> = {
  readonly kind: 'admitted';
  /** Null when the route skips verification. */
  readonly context: RequestContext<R> | null;
  /** To be put on the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** How much of the answer's body `settle` wants to be given; 0 for none. */
  readonly captureBytesMax: number;
  /** To be called when the handler has ended. Never throws, never delays. */
  settle(outcome: HandlerOutcome): void;
};

/** The handler must not run: this is the answer, a refusal or a stored one. */
export type Answered = {
  readonly kind: 'refused' | 'replayed';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
};

export type Admission<R = unknown> = Admitted<R> | Answered;

/** What stands around the decision, as `createKeyrail` holds it. */
export type Admittance<R = unknown> = Admit<R> & {
  /** Never rejects. */
  admit(call: IncomingCall, route?: RouteOptions): Promise<Admission<R>>;
  telemetry(): TelemetryState;
};

/** How long the last words to the control plane may take. */
const CLOSE_MS_MAX = 5_000;

type Around<R> = Parts<R> & { limits: Limits; idempotency: Idempotency; telemetry: Telemetry };
type Caught<R> = { visit: Visit; context: RequestContext<R>; route: RouteOptions };

export function createAdmit<R>(parts: Parts<R>): Admittance<R> {
  const around: Around<R> = {
    ...parts,
    limits: createLimits(parts),
    idempotency: createIdempotency(parts),
    telemetry: createTelemetry({ ...parts, sdk: SDK }),
  };
  return {
    admit: async (call, route = {}) => {
      try {
        return route.skip ? unwatched : await admitCall(around, call, route);
      } catch (error) {
        parts.log('error', `keyrail: a request was refused because of a fault: ${error}`);
        return { kind: 'refused', ...refuse('unavailable') };
      }
    },
    telemetry: around.telemetry.state,
    close: async () => {
      // Timers of ours keep no process alive; this once something has to.
      const alive = setInterval(() => {}, CLOSE_MS_MAX);
      await Promise.all([
        around.telemetry.close(CLOSE_MS_MAX),
        around.idempotency.drain(CLOSE_MS_MAX),
      ]);
      clearInterval(alive);
    },
  };
}

const unwatched: Admitted<never> = {
  kind: 'admitted',
  context: null,
  headers: {},
  captureBytesMax: 0,
  settle: () => {},
};

async function admitCall<R>(
  around: Around<R>,
  call: IncomingCall,
  route: RouteOptions,
): Promise<Admission<R>> {
  const visit = openVisit(around, call, route.name);
  const keyText = keyTextOf(call, around.settings.keyHeaders);
  const decision = around.verify(keyText, route);
  if (!decision.allowed) {
    const { reason, key: caller, degraded, missingScopes } = decision;
    const refusal = refuseKey(reason, missingScopes);
    visit.report({ status: refusal.status, caller, degraded, reason });
    return { kind: 'refused', ...refusal };
  }
  const caught = { visit, context: decision.context, route };
  const counted = await count(around, caught, decision.limits);
  if ('refused' in counted) return refused(caught, counted.reason, counted.refused);

  const headers = limitHeaders(counted.states);
  const claimed = await claimCall(around.idempotency, { ...caught, keyText: keyText ?? '' });
  if ('refused' in claimed) {
    const { refused: refusal, reason } = claimed;
    return refused(caught, reason, { ...refusal, headers: { ...refusal.headers, ...headers } });
  }
  if ('replayed' in claimed) {
    const { status, body, headers: stored } = claimed.replayed;
    visit.report({
      status,
      caller: caught.context,
      degraded: caught.context.degraded,
      reason: null,
    });
    return { kind: 'replayed', status, headers: { ...stored, ...headers }, body };
  }
  return admitted(around, caught, { headers, hold: claimed.hold });
}

function admitted<R>(
  { clock, log }: Around<R>,
  { visit, context }: Caught<R>,
  { headers, hold }: { headers: Record<string, string>; hold: Hold | null },
): Admitted<R> {
  const settle = settlement({ visit, context, hold, clock });
  return {
    kind: 'admitted',
    context,
    headers,
    captureBytesMax: hold?.bodyBytesMax ?? 0,
    settle: (outcome) => {
      try {
        settle(outcome);
      } catch (error) {
        log('error', `keyrail: the end of a request was not taken: ${error}`);
      }
    },
  };
}

function refused<R>({ visit, context }: Caught<R>, reason: string, refusal: Refusal): Answered {
  visit.report({ status: refusal.status, caller: context, degraded: context.degraded, reason });
  return { kind: 'refused', ...refusal };
}

/** Charges the key's limits; the context learns the counters, or null when nobody could say. */
async function count<R>(
  { limits }: Around<R>,
  { context, route }: Caught<R>,
  rules: readonly RateLimitRule[],
): Promise<{ states: NonNullable<RequestContext['rateLimit']> } | Refused> {
  context.rateLimit = [];
  if (route.rateLimit === false || rules.length === 0) return { states: [] };
  const { cost = 1, onUnavailable = 'allow' } = route.rateLimit ?? {};
  const verdict = await limits.check(context, rules, cost);
  if (verdict.kind === 'unreachable') {
    context.rateLimit = null;
    if (onUnavailable === 'allow') return { states: [] };
    return { refused: refuse('unavailable'), reason: 'unavailable' };
  }
  context.rateLimit = verdict.states;
  if (verdict.allowed) return { states: verdict.states };
  const headers = limitHeaders(verdict.states);
  const { retryAfterSeconds } = verdict;
  return {
    refused: refuse('rate_limited', { retryAfterSeconds, headers }),
    reason: 'rate_limited',
  };
}
