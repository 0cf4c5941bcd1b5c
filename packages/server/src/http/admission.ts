// Admits a caller: authenticates it, checks its network, permission, role and environment, and
// counts the request against its limits. Runs before the body is read.
import { isSafe as isSafeLine } from '@keyrail/protocol/endpoint.ts';
import { leastRole } from '@keyrail/protocol/wire/roles.ts';
import { authenticate, type Credentials } from '../access/authenticate.ts';
import { refuseBeyond } from '../access/boundary.ts';
import type { ChargeEmbedChange } from '../access/embed-changes.ts';
import { refuseBeyondToken, refuseMintingPage } from '../access/embed-rules.ts';
import { refuseOtherWorkspace } from '../access/named-workspace.ts';
import type { NotePermission } from '../access/permission-uses.ts';
import { type Principal, refuseUnverified } from '../access/principal.ts';
import { refuseQuarantined } from '../access/quarantine.ts';
import { refuseBelow } from '../access/roles.ts';
import {
  refuseLacking,
  refuseLimitedToProjects,
  refuseOtherNetwork,
} from '../access/secret-key-limits.ts';
import type { Throttle } from '../access/throttle.ts';
import { monotonicMs } from '../base/clock.ts';
import { always, chain } from '../base/maybe-async.ts';
import { expectWork, type RouteDoorParts } from './door-for.ts';
import type { ServedRoute } from './route.ts';

export type AdmissionParts = RouteDoorParts & {
  credentials: Credentials;
  /**
   * If true, users with an unverified email address can neither create workspaces nor invite
   * others.
   */
  verifiedOnly: boolean;
  chargeEmbedChange: ChargeEmbedChange;
  notePermission: NotePermission;
  /** Throws 429 for a client that sends too many requests without a credential. */
  chargeClient: Throttle['chargeClient'];
};

export type Admitted = {
  principal: Principal;
  /** How long authentication took. */
  tookMs: number;
  atMs: number;
};

/** The request headers that identify the caller. */
export type Caller = {
  authorization: string | undefined;
  origin: string | undefined;
  /** The workspace that the caller expects to work in. */
  workspace: string | undefined;
  clientAddress: string;
  /** The ID in the path, if it has one. */
  pathId: string | undefined;
  /** Called as soon as the caller is known, even if the request is then denied. */
  identified?(principal: Principal): void;
};

type Admit = (caller: Caller) => Admitted | Promise<Admitted>;

type Admission = {
  admit: Admit;
  /** Like `admit`, but charges nothing: for a caller that has already been admitted. */
  identify: Admit;
};

export function admissionOf(route: ServedRoute, parts: AdmissionParts): Admission {
  const { endpoint, line } = route;
  const refuse = refusalsOf(route, parts);
  const isSafe = isSafeLine(line, endpoint);
  const isCharged = endpoint.auth === 'none' && !isSafe;

  function identify(caller: Caller): Admitted | Promise<Admitted> {
    const { authorization, workspace, identified } = caller;
    const known = expectWork(route, parts);
    const outcome = always(
      () => authenticate(parts.credentials, endpoint.auth, { authorization, identified }),
      known,
    );
    const askedAt = outcome instanceof Promise ? monotonicMs() : null;
    return chain(outcome, (principal) => {
      refuseOtherNetwork(principal, caller.clientAddress);
      refuseOtherWorkspace(principal, endpoint.auth, workspace);
      refuse(principal, caller);
      parts.notePermission(principal, endpoint, caller.pathId);
      const atMs = monotonicMs();
      return { principal, tookMs: askedAt === null ? 0 : atMs - askedAt, atMs };
    });
  }

  const admitKnown = (caller: Caller): Admitted | Promise<Admitted> =>
    chain(identify(caller), (admitted) =>
      isSafe ? admitted : chain(parts.chargeEmbedChange(admitted.principal), () => admitted),
    );

  return {
    identify,
    admit(caller) {
      route.refuseUnread?.();
      return isCharged
        ? parts.chargeClient(caller.clientAddress).then(() => admitKnown(caller))
        : admitKnown(caller);
    },
  };
}

/** Throws if this caller may not use the route. Runs before the body is read. */
function refusalsOf(
  route: ServedRoute,
  { verifiedOnly }: AdmissionParts,
): (principal: Principal, caller: Pick<Caller, 'origin' | 'pathId'>) => void {
  const { endpoint, line, boundary } = route;
  const isSafe = isSafeLine(line, endpoint);
  const least = leastRole(isSafe, endpoint.role);
  // Roles apply to workspace endpoints only, not to the caller's own account or to creating a
  // workspace.
  const isPersonal = endpoint.auth === 'session' || endpoint.auth === 'founder';
  // A quarantined key may read. Changes are denied unless the route allows them.
  const whenQuarantined = isSafe ? 'allow' : (route.whenQuarantined ?? 'refuse');
  return (principal, { origin, pathId }) => {
    refuseLacking(principal, endpoint, pathId);
    if (endpoint.allProjects) refuseLimitedToProjects(principal);
    refuseBeyond(principal, boundary, isSafe);
    if (!isPersonal) refuseBelow(principal, least);
    refuseQuarantined(principal, whenQuarantined);
    if (verifiedOnly && route.verifiedPerson) refuseUnverified(principal);
    refuseBeyondToken(principal, line, origin);
    refuseMintingPage(endpoint.auth, origin);
  };
}

export const pathIdIn = (params: unknown): string | undefined =>
  typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : undefined;
