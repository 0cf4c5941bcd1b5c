// Runs code before and after each call to a node's `admit`.
import type { Admission, IncomingCall } from '../src/api/admission.ts';
import type { KeyContext, OpenContext, RequestContext } from '../src/api/context.ts';
import type { Admit, Keyrail } from '../src/api/keyrail.ts';
import type { KeyedRoute, RouteOptions, VerifiedRoute } from '../src/api/route.ts';

export type Wrap = <T>(admit: () => T | Promise<T>) => Promise<T>;

export function wrapAdmit<R>(keyrail: Pick<Keyrail<R>, 'admit'>, wrap: Wrap): Admit<R> {
  type Promised<C> = Promise<Admission<C>>;
  function admit(call: IncomingCall, route?: VerifiedRoute): Promised<RequestContext<R>>;
  function admit(call: IncomingCall, route?: KeyedRoute): Promised<KeyContext<R>>;
  function admit(call: IncomingCall, route?: RouteOptions): Promised<OpenContext<R>>;
  function admit(call: IncomingCall, route?: RouteOptions): Promised<OpenContext<R>> {
    return wrap(() => keyrail.admit(call, route));
  }
  return admit;
}
