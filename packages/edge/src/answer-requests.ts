// Edge's endpoints. Most requests can be decided immediately, without reading a body, so they are
// handled without promises, streams or parsing.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { endLater } from '@keyrail/protocol/wire/end-later.ts';
import { METRICS_CONTENT_TYPE } from '@keyrail/protocol/wire/metrics-text.ts';
import type { Admission, Keyrail, OpenContext } from '@keyrail/sdk';
import { createCounts } from './counts.ts';
import { DENIAL_HEADER, denialHeader } from './denial-header.ts';
import { ForwardedCall } from './forwarded-call.ts';
import { keyHeaders } from './key-headers.ts';
import type { Relay } from './relay/relay.ts';
import { createRequirements, type Defaults, type Requirement } from './requirements.ts';
import { sendError, sendJson, sendText } from './send-json.ts';
import { refusesTooManyHeaders } from './too-many-headers.ts';
import { isForwarded, isUnix, type TrustsPeer } from './trusted-proxies.ts';
import {
  answerTo,
  createQuestions,
  type EdgeNode,
  readBody,
  type Verified,
  verifiedText,
} from './verify-call.ts';

type EdgeParts = {
  keyrail: EdgeNode & Pick<Keyrail, 'state'>;
  defaults: Defaults;
  warn(message: string): void;
  /** The relay; null if this Edge does not run one. */
  relay: Pick<Relay, 'counts'> | null;
  isTrusted: TrustsPeer;
};

const AUTH = '/auth';
/**
 * The operator configures the path up to `~`, which contains the requirements. Envoy appends the
 * caller's path and query.
 */
const ENVOY = /^\/envoy\/([^/?]*)\/~(\/.*|)$/;

export function createListener(parts: EdgeParts): RequestListener {
  const { keyrail, defaults, warn, relay, isTrusted } = parts;
  const requirements = createRequirements(defaults);
  const questions = createQuestions(defaults);
  const counts = createCounts();
  const warned = new Set<string>();

  function auth(response: ServerResponse, requirement: Requirement, call: ForwardedCall): void {
    if ('fault' in requirement) {
      counts.add('auth', 400);
      const why = `query in the proxy configuration is not valid: ${requirement.fault}`;
      warnOnce(`rejecting requests because the ${why}`);
      sendError(response, 400, `The ${why}.`);
      return;
    }
    const admission = keyrail.admit(call, requirement.route);
    if ('kind' in admission) finish(response, admission);
    else void admission.then((later) => finish(response, later));
  }

  function warnOnce(message: string): void {
    if (warned.has(message)) return;
    warned.add(message);
    warn(message);
  }

  /** Rejects a request forwarded by a proxy that the operator has not listed. */
  function isStranger(request: IncomingMessage, response: ServerResponse): boolean {
    if (!isForwarded(request) || isTrusted(request.socket)) return false;
    warnOnce(
      'rejecting requests from an untrusted proxy; add it to KEYRAIL_EDGE_TRUSTED_PROXIES if it is yours',
    );
    sendError(response, 403, 'This request came through an untrusted proxy.');
    return true;
  }

  function finish(response: ServerResponse, admission: Admission<OpenContext>): void {
    if (admission.kind === 'admitted' && admission.context) {
      counts.add('auth', 200);
      admission.settle({ status: 200 });
      const headers = keyHeaders(admission.context);
      for (const name in admission.headers) headers.push(name, admission.headers[name] ?? '');
      headers.push('Content-Length', '0');
      endLater({ response: response.writeHead(200, headers), body: '', isAscii: true });
      return;
    }
    if (admission.kind === 'admitted') throw new Error('bug: an Edge route skips verification');
    const { status, headers, body } = admission;
    counts.add('auth', status);
    const more = typeof body === 'string' ? { [DENIAL_HEADER]: denialHeader(body) } : {};
    response.writeHead(status, { ...headers, ...more }).end(body);
  }

  function verify(request: IncomingMessage, response: ServerResponse): void {
    readBody(request, (body) => {
      const question = body ? questions(body) : 'The body is too large, or was cut off.';
      if (typeof question === 'string') {
        counts.add('verify', 400);
        return sendError(response, 400, question);
      }
      const answer = answerTo(keyrail, question);
      if ('status' in answer) sendVerified(response, answer);
      else void answer.then((later) => sendVerified(response, later));
    });
  }

  function sendVerified(response: ServerResponse, answer: Verified): void {
    counts.add('verify', answer.status);
    sendText(response, 200, verifiedText(answer));
  }

  return (request, response) => {
    if (refusesTooManyHeaders(request, response)) return;
    const { url = '/', method } = request;
    const asked = questionIn(request);
    if (asked) {
      if (isStranger(request, response)) return counts.add('auth', 403);
      return auth(response, requirements(asked.query), new ForwardedCall(request, asked.path));
    }
    if (url === '/v1/verify' && method === 'POST') {
      if (isStranger(request, response)) return counts.add('verify', 403);
      if (!isLocal(request)) return sendError(response, 403, 'Only available on this machine.');
      return verify(request, response);
    }
    if (url === '/healthz') return sendJson(response, 200, { status: 'ok' });
    if (url === '/readyz') return sendReadiness(response, keyrail.state());
    if (url === '/metrics') {
      if (isStranger(request, response)) return;
      response.setHeader('content-type', METRICS_CONTENT_TYPE);
      return void response.end(counts.text(keyrail.state(), relay?.counts() ?? null));
    }
    return sendError(response, 404, 'No such path.');
  };
}

/**
 * Parses the URL of a proxy's request. `query` contains the requirements, and `path` is the
 * caller's path, unless the proxy sends that in a header. Returns null for other endpoints.
 */
function questionIn({ url = '/' }: IncomingMessage): { query: string; path?: string } | null {
  if (url.startsWith(AUTH) && (url.length === AUTH.length || url[AUTH.length] === '?')) {
    return { query: url.slice(AUTH.length + 1) };
  }
  const [, query, path = ''] = ENVOY.exec(url) ?? [];
  return query === undefined ? null : { query, path };
}

function isLocal({ socket }: IncomingMessage): boolean {
  const { remoteAddress: address } = socket;
  if (address === undefined) return isUnix(socket);
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

function sendReadiness(response: ServerResponse, state: ReturnType<Keyrail['state']>): void {
  const { version, source, degraded, tooOld, lastSyncAt } = state;
  const isReady = version !== null && !tooOld;
  const synced = lastSyncAt === null ? null : new Date(lastSyncAt).toISOString();
  const shown = { version, source, degraded, last_sync_at: synced };
  const status = isReady ? 'ok' : tooOld ? 'policy too old' : 'no policy';
  sendJson(response, isReady ? 200 : 503, { status, ...shown });
}
