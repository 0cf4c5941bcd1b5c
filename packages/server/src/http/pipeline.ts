// The stages of a request: match the route, authenticate, check the live/test boundary, check the
// role, parse the input, check its environments, run, present, reply. The router does the matching.
// This file does the rest in two steps, because the caller is authenticated before the body is
// read.

import { acceptsRequestKey, isSafe as isSafeLine, pathParams } from '@keyrail/protocol/endpoint.ts';
import { REPLAYED_HEADER } from '@keyrail/protocol/wire/request-keys.ts';
import { leastRole } from '@keyrail/protocol/wire/roles.ts';
import { WORKSPACE_HEADER } from '@keyrail/protocol/wire/workspace-header.ts';
import { authenticate, type Credentials } from '../access/authenticate.ts';
import { refuseBeyond, refuseNamedEnv } from '../access/boundary.ts';
import type { ChargeEmbedChange } from '../access/embed-changes.ts';
import { refuseBeyondToken, refuseMintingPage } from '../access/embed-rules.ts';
import { refuseOtherWorkspace } from '../access/named-workspace.ts';
import type { NotePermission } from '../access/permission-uses.ts';
import { type Principal, reachOf, refuseUnverified } from '../access/principal.ts';
import { refuseQuarantined } from '../access/quarantine.ts';
import { refuseBelow } from '../access/roles.ts';
import {
  refuseLacking,
  refuseLimitedToProjects,
  refuseOtherNetwork,
} from '../access/secret-key-limits.ts';
import type { Throttle } from '../access/throttle.ts';
import { assert } from '../base/assert.ts';
import { monotonicMs } from '../base/clock.ts';
import { always, attempt, chain } from '../base/maybe-async.ts';
import type { Fate } from '../doors/write.ts';
import { checkAnswer } from './check-answers.ts';
import type { Cursors } from './cursor.ts';
import { doorFor, expectWork, type RouteDoorParts } from './door-for.ts';
import { apiErrorOf, OutcomeUnknown } from './faults.ts';
import { type HashRequest, requestKeyOf } from './request-keys.ts';
import { bodyParserOf, parseParams, queryParserOf } from './request-parsers.ts';
import { type NoteCaller, Reply, type ServedRoute } from './route.ts';

export type PipelineParts = RouteDoorParts & {
  credentials: Credentials;
  cursors: Cursors;
  /**
   * If true, users with an unverified email address can neither create workspaces nor invite
   * others.
   */
  verifiedOnly: boolean;
  chargeEmbedChange: ChargeEmbedChange;
  notePermission: NotePermission;
  /** Throws 429 for a client that sends too many requests without a credential. */
  chargeClient: Throttle['chargeClient'];
  hashRequest: HashRequest;
  /** Checks every response against its declaration. Enabled in tests. */
  checkAnswers: boolean;
};

export type Incoming = {
  requestId: string;
  clientAddress: string;
  noteCaller: NoteCaller;
  header(name: string): string | undefined;
  /** The path and query as they were sent. */
  target: string;
  gone(): AbortSignal;
  params: unknown;
  query: unknown;
  contentType: string | undefined;
  body: Buffer | undefined;
};

export type Outgoing = {
  status: number;
  body: unknown;
  headers: Record<string, string> | null;
  /** A cursor for the next page, if there is a next page. */
  nextCursor: string | undefined;
};

export type Admitted = {
  principal: Principal;
  /** How long authentication took. */
  tookMs: number;
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

type Pipeline = {
  admit(caller: Caller): Admitted | Promise<Admitted>;
  answer(admitted: Admitted, incoming: Incoming): Outgoing | Promise<Outgoing>;
};

export function createPipeline(route: ServedRoute, parts: PipelineParts): Pipeline {
  const { endpoint, line } = route;
  const refuse = refusalsOf(route, parts);
  const isSafe = isSafeLine(line, endpoint);
  const names = pathParams(line);
  const queryOf = queryParserOf(route);
  const bodyOf = bodyParserOf(route);
  const takesKey = acceptsRequestKey(line, endpoint);
  const usualStatus = Number(Object.keys(endpoint.answers)[0]);

  const isCharged = endpoint.auth === 'none' && !isSafe;

  function admit(caller: Caller): Admitted | Promise<Admitted> {
    route.refuseUnread?.();
    return isCharged
      ? parts.chargeClient(caller.clientAddress).then(() => admitKnown(caller))
      : admitKnown(caller);
  }

  function admitKnown(caller: Caller): Admitted | Promise<Admitted> {
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
      const admitted = { principal, tookMs: askedAt === null ? 0 : monotonicMs() - askedAt };
      return isSafe ? admitted : chain(parts.chargeEmbedChange(principal), () => admitted);
    });
  }

  return {
    admit,
    answer({ principal, tookMs }, incoming) {
      const params = parseParams(names, incoming.params);
      const query = queryOf(incoming.target, incoming.query);
      const isDryRun = isDryRunIn(query);
      const body = bodyOf(incoming);
      refuseNamedEnv(principal, query, body);
      const reach = reachOf(principal);
      const issueCursor = (position: readonly string[]): string =>
        parts.cursors.issue(bindingOf(route, principal), position);
      const cursor = cursorIn(query);
      const requestKey = takesKey
        ? requestKeyOf(line, reach, { ...incoming, params, hashRequest: parts.hashRequest })
        : null;
      const run = isDryRun ? foreseeOf(route) : route.run;
      const { door, fate } = doorFor(route, parts, { reach, tookMs, requestKey, isDryRun });
      const input = {
        ...door,
        params,
        query,
        body,
        after:
          cursor === undefined ? null : parts.cursors.read(bindingOf(route, principal), cursor),
        principal,
        requestId: incoming.requestId,
        clientAddress: incoming.clientAddress,
        noteCaller: incoming.noteCaller,
        header: incoming.header,
        target: incoming.target,
        gone: incoming.gone,
        admitAgain: async () => void (await admit(callerIn(incoming))),
        issueCursor,
      };
      const answered = (outcome: unknown): Outgoing => {
        const outgoing = outgoingOf(outcome, usualStatus, issueCursor);
        if (fate() === 'replayed') outgoing.headers = replayed(outgoing);
        if (parts.checkAnswers) checkAnswer(route, outgoing, isDryRun);
        return outgoing;
      };
      return attempt(() => run(input), answered, failedBy(fate));
    },
  };
}

const replayed = ({ headers }: Outgoing) => ({ ...headers, [REPLAYED_HEADER]: 'true' });

/** Only a 503 tells the caller whether the change was made. */
const failedBy =
  (fate: () => Fate) =>
  (thrown: unknown): never => {
    const isUnknown = fate() !== 'not_done' && apiErrorOf(thrown).status === 503;
    throw isUnknown ? new OutcomeUnknown(thrown) : thrown;
  };

/** Throws if this caller may not use the route. Runs before the body is read. */
function refusalsOf(
  route: ServedRoute,
  { verifiedOnly }: PipelineParts,
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

const callerIn = ({ header, clientAddress, params }: Incoming): Caller => ({
  clientAddress,
  pathId: pathIdIn(params),
  authorization: header('authorization'),
  origin: header('origin'),
  workspace: header(WORKSPACE_HEADER),
});

export const pathIdIn = (params: unknown): string | undefined =>
  typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : undefined;

/** The binding of a cursor: one list, for one user or one reach. */
function bindingOf({ cursorsOf, line, endpoint }: ServedRoute, principal: Principal): string {
  if (endpoint.auth === 'session' && principal.kind === 'session') {
    return `${line} ${principal.userId}`;
  }
  const reach = reachOf(principal);
  return [cursorsOf ?? line, reach?.workspaceId, reach?.tenantId, reach?.projectIds?.join(',')]
    .filter((part) => part !== undefined)
    .join(' ');
}

const isDryRunIn = (query: unknown): boolean =>
  typeof query === 'object' && query !== null && 'dry_run' in query && query.dry_run === true;

function foreseeOf({ foresee, line }: ServedRoute): NonNullable<ServedRoute['foresee']> {
  assert(foresee, `${line} accepts dry_run, but has no plan`);
  return foresee;
}

const cursorIn = (query: unknown): string | undefined =>
  typeof query === 'object' && query !== null && 'cursor' in query
    ? (query.cursor as string | undefined)
    : undefined;

function outgoingOf(
  outcome: unknown,
  usualStatus: number,
  issueCursor: (next: readonly string[]) => string,
): Outgoing {
  if (!(outcome instanceof Reply)) {
    return { status: usualStatus, body: outcome, headers: null, nextCursor: undefined };
  }
  const { status = usualStatus, body, headers, next } = outcome;
  return { status, body, headers, nextCursor: next && issueCursor(next) };
}
