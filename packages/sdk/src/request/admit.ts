// Admits one request: first the decision, then idempotency, then rate limits. Adapters turn a
// framework's request into an IncomingCall and an Admission into a response; this file does not
// depend on any framework, and never throws an error into one.
import { type DenialResponse, denialCodeOf, refuseKey } from '@keyrail/protocol/wire/denials.ts';
import type { Admission, Admitted, IncomingCall, ReadyResponse } from '../api/admission.ts';
import type {
  KeyContext,
  OpenContext,
  RateLimitRule,
  RateLimitState,
  RequestContext,
  UnverifiedContext,
} from '../api/context.ts';
import type { Decision } from '../api/decision.ts';
import type { Admit, Admitting, TelemetryState } from '../api/keyrail.ts';
import type { KeyedRoute, RouteOptions, VerifiedRoute } from '../api/route.ts';
import type { Chance, Clock } from '../clock.ts';
import { createIdempotency, type Idempotency, type RunLock } from '../idempotency/idempotency.ts';
import { createLimits, type Limits } from '../limits/limits.ts';
import type { Settings } from '../settings.ts';
import { createTelemetry } from '../telemetry/telemetry.ts';
import type { Transport } from '../transport.ts';
import { SDK } from '../version.ts';
import { type BeginReport, type CallReport, createReports, keyTextOf } from './call-report.ts';
import { type Charged, chargeLimits, NOTHING_CHARGED } from './charge-limits.ts';
import { claimCall, wantsClaim } from './claim-call.ts';
import { refuse } from './refusal.ts';
import { Settlement } from './settlement.ts';

export type AdmitterParts<R = unknown> = {
  settings: Settings<R>;
  verify(
    keyText: string | null,
    route: RouteOptions,
  ): Decision<RequestContext<R> | UnverifiedContext<R>>;
  transport: Transport;
  clock: Clock;
  chance: Chance;
  log: Settings<R>['log'];
};

type Admitter<R = unknown> = {
  /** Never throws and never rejects. */
  admit: Admit<R>;
  telemetry(): TelemetryState;
  /** Sends what is still queued, within a time limit, and stops every timer; never rejects. */
  close(): Promise<void>;
};

/** How long `close` may take to send the remaining data to the control plane. */
const CLOSE_MS_MAX = 5_000;

type Modules<R> = AdmitterParts<R> & {
  limits: Limits;
  idempotency: Idempotency;
  beginReport: BeginReport;
};

/** A request whose key is allowed. */
type AllowedCall<R> = {
  report: CallReport;
  context: RequestContext<R> | UnverifiedContext<R>;
  route: RouteOptions;
  keyText: string;
};

export function createAdmitter<R>(parts: AdmitterParts<R>): Admitter<R> {
  const telemetry = createTelemetry({ ...parts, sdk: SDK });
  const limits = createLimits(parts);
  const idempotency = createIdempotency(parts);
  const beginReport = createReports({ ...parts, telemetry });
  const modules = { ...parts, limits, idempotency, beginReport };
  const refuseFault = (error: unknown): ReadyResponse => {
    parts.log('error', `keyrail: denied a request because of an internal error: ${error}`);
    return { kind: 'refused', ...refuse('unavailable') };
  };
  function admit(call: IncomingCall, route?: VerifiedRoute): Admitting<RequestContext<R>>;
  function admit(call: IncomingCall, route?: KeyedRoute): Admitting<KeyContext<R>>;
  function admit(call: IncomingCall, route?: RouteOptions): Admitting<OpenContext<R>>;
  function admit(call: IncomingCall, route: RouteOptions = {}): Admitting<OpenContext<R>> {
    try {
      const admission = admitCall(modules, call, route);
      // Not `instanceof Promise`, because an app may have replaced the global Promise.
      return 'kind' in admission ? admission : admission.catch(refuseFault);
    } catch (error) {
      return refuseFault(error);
    }
  }
  return {
    admit,
    telemetry: telemetry.state,
    close: async () => {
      // The SDK's timers do not keep the process alive, but the process must not exit until
      // everything has been sent.
      const alive = setInterval(() => {}, CLOSE_MS_MAX);
      await Promise.all([
        telemetry.close(CLOSE_MS_MAX),
        idempotency.drain(CLOSE_MS_MAX),
        limits.close(CLOSE_MS_MAX),
      ]);
      clearInterval(alive);
    },
  };
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});
const NO_COUNTERS: readonly RateLimitState[] = Object.freeze([]);

const skipped: Admitted<null> = {
  kind: 'admitted',
  context: null,
  headers: NO_HEADERS,
  captureBytesMax: 0,
  settle: () => {},
};

/** Returns a promise only if the control plane is needed; most requests need none. */
function admitCall<R>(
  modules: Modules<R>,
  call: IncomingCall,
  route: RouteOptions,
): Admitting<OpenContext<R>> {
  if (route.skip) return skipped;
  const report = modules.beginReport(call, route.name);
  const keyText = keyTextOf(call, modules.settings.keyHeaders);
  const decision = modules.verify(keyText, route);
  if (!decision.allowed) {
    const { reason, key, degraded, missingScopes } = decision;
    const refusal = refuseKey(reason, missingScopes);
    report.end({ status: refusal.status, key, degraded, reason: denialCodeOf[reason] });
    return { kind: 'refused', ...refusal };
  }
  const { context, limits: rules } = decision;
  const allowed = { report, context, route, keyText: keyText ?? '' };
  context.rateLimit = NO_COUNTERS;
  if (wantsClaim(call, route)) return claimThenCharge(modules, allowed, rules);
  const charged = charge(modules, allowed, rules);
  if ('headers' in charged)
    return admitted(modules, allowed, { headers: charged.headers, lock: null });
  return afterCharge(modules, allowed, { charging: charged, lock: null });
}

function charge<R>(
  { limits, settings }: Modules<R>,
  { context, route }: AllowedCall<R>,
  rules: readonly RateLimitRule[],
): Charged | Promise<Charged> {
  const isCounted = route.rateLimit !== false && rules.length > 0;
  if (!isCounted) return NOTHING_CHARGED;
  return chargeLimits(limits, { context, route, rules, leases: settings.leases });
}

/** A replayed response costs nothing, so the claim is made before the charge. */
async function claimThenCharge<R>(
  modules: Modules<R>,
  allowed: AllowedCall<R>,
  rules: readonly RateLimitRule[],
): Promise<Admission<OpenContext<R>>> {
  const { report, context } = allowed;
  const { call, routeName } = report;
  const claimed = await claimCall(modules.idempotency, { ...allowed, call, routeName });
  if ('refused' in claimed) return refused(allowed, claimed.reason, claimed.refused);
  if ('replayed' in claimed) {
    const { status, body, headers } = claimed.replayed;
    report.end({ status, key: context, degraded: context.degraded, reason: null });
    return { kind: 'replayed', status, headers, body };
  }
  const { lock } = claimed;
  try {
    return await afterCharge(modules, allowed, { charging: charge(modules, allowed, rules), lock });
  } catch (error) {
    lock?.release();
    throw error;
  }
}

type Charging = { charging: Charged | Promise<Charged>; lock: RunLock | null };

async function afterCharge<R>(
  modules: Modules<R>,
  allowed: AllowedCall<R>,
  { charging, lock }: Charging,
): Promise<Admission<OpenContext<R>>> {
  const charged = await charging;
  if ('headers' in charged) return admitted(modules, allowed, { headers: charged.headers, lock });
  // The handler did not run, so a retry must be able to run it.
  lock?.release();
  return refused(allowed, charged.reason, charged.refused);
}

function admitted<R>(
  { clock, log }: Modules<R>,
  { report, context }: AllowedCall<R>,
  { headers, lock }: { headers: Readonly<Record<string, string>>; lock: RunLock | null },
): Admitted<OpenContext<R>> {
  const settlement = new Settlement({ report, context, lock, clock });
  return {
    kind: 'admitted',
    context,
    headers,
    captureBytesMax: lock?.bodyBytesMax ?? 0,
    settle: (outcome) => {
      try {
        settlement.end(outcome);
      } catch (error) {
        log('error', `keyrail: failed to record the end of a request: ${error}`);
      }
    },
  };
}

function refused<R>(
  { report, context }: AllowedCall<R>,
  reason: string,
  refusal: DenialResponse,
): ReadyResponse {
  report.end({ status: refusal.status, key: context, degraded: context.degraded, reason });
  return { kind: 'refused', ...refusal };
}
