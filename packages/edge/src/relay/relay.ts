// Edge's relay: nodes poll it instead of the control plane. A request goes through
//
//   members ─▶ acknowledgements ─▶ shared polls      the policy feed
//          │          └─▶ pass on                    a first snapshot with a nonce
//          └─▶ pass on                               limits, idempotency, telemetry
//
// Each request upstream is made with the requesting node's secret key, and only nodes with the same
// secret key share responses. So the control plane decides what a node can read.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { SDK_HEADER } from '@keyrail/protocol/wire/sdk-header.ts';
import { sendError, sendJson } from '../send-json.ts';
import { refusesTooManyHeaders } from '../too-many-headers.ts';
import { createAcknowledgements, type Reported } from './acknowledgements.ts';
import { type RelayClock, relayClock } from './clock.ts';
import { type FeedQuestion, feedQuestionIn } from './feed-question.ts';
import { createMembers } from './members.ts';
import { createPassOn, hasStrayBody } from './pass-on.ts';
import { createRecentAnswers } from './recent-answers.ts';
import { createSharedPolls, type SharedQuestion } from './shared-polls.ts';
import { type Answer, hashOf, openUpstream, Unreachable } from './upstream.ts';

export type Relay = {
  /** Handles requests to the relay's own address, which serves none of Edge's other endpoints. */
  listener: RequestListener;
  counts(): { heldPolls: number; upstreamRequests: number };
  /** Rejects all waiting nodes, so that they try their next URL. */
  endPolls(): void;
  close(): void;
};

type RelayOptions = { url: string; projectId: string; clock?: RelayClock };

const FEED = /^\/v1\/policy\/(snapshot|delta)(\?|$)/;
const PASSED = new Set([
  '/v1/policy/report',
  '/v1/ratelimit/check',
  '/v1/ratelimit/lease',
  '/v1/ratelimit/return',
  '/v1/idempotency/claim',
  '/v1/idempotency/complete',
  '/v1/idempotency/release',
  '/v1/idempotency/heartbeat',
  '/v1/ingest/batch',
]);
/**
 * How much longer a request to the control plane may take than the time it asks the server to wait.
 */
const GRACE_MS = 8_000;
/**
 * How long a response may be reused for other nodes. Even a damaged response is reused for no
 * longer than this.
 */
const POLICY_MS = 5_000;
const PASSED_MAX = 500;
/**
 * How many nodes can load a snapshot with a nonce at the same time. Such snapshots can't be shared,
 * so nodes over the limit get a 503.
 */
const UNSHARED_SNAPSHOTS_MAX = 64;
const UNREACHABLE = 'The control plane is unreachable.';

export function openRelay({ url, projectId, clock = relayClock }: RelayOptions): Relay {
  const upstream = openUpstream(url);
  const members = createMembers(upstream, projectId, clock);
  const acks = createAcknowledgements(upstream, clock);
  const polls = createSharedPolls(createRecentAnswers(clock, POLICY_MS), clock);
  const passOn = createPassOn(upstream, PASSED_MAX);
  const passSnapshotOn = createPassOn(upstream, UNSHARED_SNAPSHOTS_MAX);

  /** Reports a node to the control plane. Null if the node sends no ID. */
  async function report(
    { headers }: IncomingMessage,
    { projectId, env, node, since: version, ...question }: FeedQuestion,
  ): Promise<Reported | null> {
    if (node === null) return null;
    const { authorization: credential = '', [SDK_HEADER]: sdk } = headers;
    const { name, nextPollMs, understands } = question;
    const said = { name, nextPollMs, understands, sdk: typeof sdk === 'string' ? sdk : null };
    const ack = { node, version, ...said };
    return acks.report({ credential, projectId, env }, ack);
  }

  /** `version` is the project's version at the time the node was reported. */
  function shared(
    { headers }: IncomingMessage,
    { target, waitMs, isFurtherPage }: FeedQuestion,
    version: number | null,
  ): SharedQuestion {
    const { authorization: credential = '' } = headers;
    const encoding = /\bgzip\b/.test(String(headers['accept-encoding'])) ? 'gzip' : 'identity';
    return {
      name: `${hashOf(credential)} ${encoding} ${target}`,
      waitMs,
      least: isFurtherPage ? null : version,
      isAdmitted: version !== null,
      ask: (signal) =>
        upstream.ask({
          method: 'GET',
          target,
          headers: { authorization: credential, 'accept-encoding': encoding },
          timeoutMs: waitMs + GRACE_MS,
          signal,
        }),
    };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = await members.refusal(request.headers.authorization ?? '');
    if (refusal === 'malformed') return sendError(response, 401, 'Invalid API key.');
    if (refusal === 'busy') return sendError(response, 503, 'The relay is overloaded.');
    if (refusal) return send(response, refusal);
    const { url: asked = '' } = request;
    const question = request.method === 'GET' ? feedQuestionIn(asked, request.headers) : null;
    if (!question || response.closed) return passOn(request, response);
    // Even a leaving node is reported. Reports stay in order, so after this one, no earlier report
    // can arrive and register the node again.
    const reported = await report(request, question);
    if (reported && 'refused' in reported) return send(response, reported.refused);
    if (question.leaves) return passOn(request, response);
    if (reported && 'left' in reported) return sendError(response, 409, 'This node has left.');
    if (question.hasNonce) return passSnapshotOn(request, response);
    if (response.closed) return;
    const leave = polls.wait(shared(request, question, reported?.version ?? null), (outcome) => {
      if (outcome instanceof Unreachable) sendError(response, 503, UNREACHABLE);
      else send(response, outcome);
    });
    response.on('close', leave);
  }

  return {
    listener(request, response) {
      const { url: asked = '', method } = request;
      if (refusesTooManyHeaders(request, response)) return;
      if (hasStrayBody(request)) {
        response.setHeader('connection', 'close');
        return sendError(response, 400, `A ${method} request must not have a body.`);
      }
      if (asked === '/healthz') return sendJson(response, 200, { status: 'ok' });
      const isFeed = method === 'GET' && FEED.test(asked);
      if (!isFeed && !(method === 'POST' && PASSED.has(asked))) {
        return sendError(response, 404, 'No such path.');
      }
      serve(request, response).catch(() => {
        if (response.headersSent) response.destroy();
        else sendError(response, 503, UNREACHABLE);
      });
    },
    counts: () => ({ heldPolls: polls.held(), upstreamRequests: upstream.requests() }),
    endPolls: polls.close,
    close: upstream.close,
  };
}

function send(response: ServerResponse, { status, headers, sent }: Answer): void {
  response.writeHead(status, headers).end(sent, 'latin1');
}
