// Lets the first requests after a cold start wait for the policy, on routes with `readyWaitMs`.
import type { IncomingCall } from '../api/admission.ts';
import type { KeyContext, OpenContext, RequestContext } from '../api/context.ts';
import type { Admit, Admitting } from '../api/keyrail.ts';
import type { KeyedRoute, RouteOptions, VerifiedRoute } from '../api/route.ts';
import type { Clock } from '../clock.ts';

export const READY_WAIT_MS_MAX = 60_000;

type Readiness = {
  clock: Clock;
  /** Whether there is a policy that keys can be checked against. */
  isReady(): boolean;
  /** Never rejects. */
  whenReady(timeoutMs: number): Promise<boolean>;
};

/**
 * Wraps `admit` so that it waits first if there is no policy yet. The time limit runs from the
 * first request that waits, so a node that never gets a policy delays only the requests in its
 * first few seconds.
 */
export function admitWhenReady<R>(admit: Admit<R>, readiness: Readiness): Admit<R> {
  const { clock, isReady, whenReady } = readiness;
  let beganMs: number | null = null;
  const leftMs = (waitMs: number): number => {
    beganMs ??= clock.monotonicMs();
    return Math.min(waitMs, READY_WAIT_MS_MAX) - (clock.monotonicMs() - beganMs);
  };
  function admitLater(call: IncomingCall, route?: VerifiedRoute): Admitting<RequestContext<R>>;
  function admitLater(call: IncomingCall, route?: KeyedRoute): Admitting<KeyContext<R>>;
  function admitLater(call: IncomingCall, route?: RouteOptions): Admitting<OpenContext<R>>;
  function admitLater(call: IncomingCall, route?: RouteOptions): Admitting<OpenContext<R>> {
    if (!route?.readyWaitMs || route.skip || isReady()) return admit(call, route);
    const waitMs = leftMs(route.readyWaitMs);
    return waitMs > 0 ? whenReady(waitMs).then(() => admit(call, route)) : admit(call, route);
  }
  return admitLater;
}
