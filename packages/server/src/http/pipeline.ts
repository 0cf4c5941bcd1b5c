// The stages of a request: match the route, authenticate, check the live/test boundary, check the
// role, parse the input, check its environments, run, present, reply. The router does the matching.
// admission.ts does the checks before the body is read, and this file does the rest.

import { acceptsRequestKey, pathParams } from '@keyrail/protocol/endpoint.ts';
import { REPLAYED_HEADER } from '@keyrail/protocol/wire/request-keys.ts';
import { WORKSPACE_HEADER } from '@keyrail/protocol/wire/workspace-header.ts';
import { refuseNamedEnv } from '../access/boundary.ts';
import { type Principal, reachOf } from '../access/principal.ts';
import { assert } from '../base/assert.ts';
import { monotonicMs } from '../base/clock.ts';
import { attempt, chain } from '../base/maybe-async.ts';
import type { Fate } from '../doors/write.ts';
import {
  type AdmissionParts,
  type Admitted,
  admissionOf,
  type Caller,
  pathIdIn,
} from './admission.ts';
import { checkAnswer } from './check-answers.ts';
import type { Cursors } from './cursor.ts';
import { doorFor } from './door-for.ts';
import { apiErrorOf, OutcomeUnknown } from './faults.ts';
import { type HashRequest, requestKeyOf } from './request-keys.ts';
import { bodyParserOf, parseParams, queryParserOf } from './request-parsers.ts';
import { type NoteCaller, Reply, type ServedRoute } from './route.ts';

export type PipelineParts = AdmissionParts & {
  cursors: Cursors;
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
  /** A cursor for the next page, if there is one. */
  nextCursor: string | undefined;
};

/**
 * If the body takes longer than this to arrive, the caller is authenticated again, because its
 * credential may have been revoked or narrowed in the meantime.
 */
const BODY_WITHIN_MS = 200;

type Pipeline = {
  admit(caller: Caller): Admitted | Promise<Admitted>;
  answer(admitted: Admitted, incoming: Incoming): Outgoing | Promise<Outgoing>;
};

export function createPipeline(route: ServedRoute, parts: PipelineParts): Pipeline {
  const { endpoint, line } = route;
  const { admit, identify } = admissionOf(route, parts);
  const names = pathParams(line);
  const queryOf = queryParserOf(route);
  const bodyOf = bodyParserOf(route);
  const takesKey = acceptsRequestKey(line, endpoint);
  const usualStatus = Number(Object.keys(endpoint.answers)[0]);

  function answerTo({ principal, tookMs }: Admitted, incoming: Incoming) {
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
      after: cursor === undefined ? null : parts.cursors.read(bindingOf(route, principal), cursor),
      principal,
      requestId: incoming.requestId,
      clientAddress: incoming.clientAddress,
      noteCaller: incoming.noteCaller,
      header: incoming.header,
      target: incoming.target,
      gone: incoming.gone,
      admitAgain: async () => reachOf((await identify(callerIn(incoming))).principal),
      issueCursor,
    };
    const answered = (outcome: unknown): Outgoing => {
      const outgoing = outgoingOf(outcome, usualStatus, issueCursor);
      if (fate() === 'replayed') outgoing.headers = replayed(outgoing);
      if (parts.checkAnswers) checkAnswer(route, outgoing, isDryRun);
      return outgoing;
    };
    return attempt(() => run(input), answered, failedBy(fate));
  }

  return {
    admit,
    answer(admitted, incoming) {
      if (monotonicMs() - admitted.atMs <= BODY_WITHIN_MS) return answerTo(admitted, incoming);
      return chain(identify(callerIn(incoming)), (again) => answerTo(again, incoming));
    },
  };
}

const replayed = ({ headers }: Outgoing) => ({ ...headers, [REPLAYED_HEADER]: 'true' });

/** Only a 503 tells the caller that the change may have been made. */
const failedBy =
  (fate: () => Fate) =>
  (thrown: unknown): never => {
    const isUnknown = fate() !== 'not_done' && apiErrorOf(thrown).status === 503;
    throw isUnknown ? new OutcomeUnknown(thrown) : thrown;
  };

const callerIn = ({ header, clientAddress, params }: Incoming): Caller => ({
  clientAddress,
  pathId: pathIdIn(params),
  authorization: header('authorization'),
  origin: header('origin'),
  workspace: header(WORKSPACE_HEADER),
});

/**
 * What a cursor is bound to: one list, and either one user or one set of rows that a caller can
 * access.
 */
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
