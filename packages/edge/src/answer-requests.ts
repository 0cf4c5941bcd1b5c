// The endpoints of an Edge. Most requests are decided without waiting and without a body, so the
// path to their response has no promise, no stream and no parsing.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Admission, Keyrail, OpenContext } from '@keyrail/sdk';
import { createCounts } from './counts.ts';
import { endLater } from './end-later.ts';
import { ForwardedCall } from './forwarded-call.ts';
import { keyHeaders } from './key-headers.ts';
import type { Relay } from './relay/relay.ts';
import { createRequirements, type Defaults, type Requirement } from './requirements.ts';
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
  /** Null if nodes may not poll this Edge. */
  relay: Pick<Relay, 'serves' | 'counts'> | null;
};

const AUTH = '/auth';
/** What the operator wants ends here; Envoy appends the path and query of its caller. */
const ENVOY = /^\/envoy\/([^/?]*)\/~(\/.*|)$/;
const JSON_TYPE = 'application/json; charset=utf-8';

export function createListener({ keyrail, defaults, warn, relay }: EdgeParts): RequestListener {
  const requirements = createRequirements(defaults);
  const questions = createQuestions(defaults);
  const counts = createCounts();
  const warned = new Set<string>();

  function auth(response: ServerResponse, requirement: Requirement, call: ForwardedCall): void {
    if ('fault' in requirement) {
      counts.add('auth', 400);
      warnOnce(requirement.fault);
      sendError(response, 400, `The query of the proxy is not valid: ${requirement.fault}.`);
      return;
    }
    const admission = keyrail.admit(call, requirement.route);
    if ('kind' in admission) finish(response, admission);
    else void admission.then((later) => finish(response, later));
  }

  function warnOnce(fault: string): void {
    if (warned.has(fault)) return;
    warned.add(fault);
    warn(`requests are refused, because the query of a proxy is not valid: ${fault}`);
  }

  function finish(response: ServerResponse, admission: Admission<OpenContext>): void {
    if (admission.kind === 'admitted' && admission.context) {
      counts.add('auth', 200);
      admission.settle({ status: 200 });
      const headers = keyHeaders(admission.context);
      for (const name in admission.headers) headers.push(name, admission.headers[name] ?? '');
      headers.push('Content-Length', '0');
      endLater({ response: response.writeHead(200, headers), text: '', encoding: 'latin1' });
      return;
    }
    if (admission.kind === 'admitted') throw new Error('bug: a route of Edge skips verification');
    const { status, headers, body } = admission;
    counts.add('auth', status);
    response.writeHead(status, headers).end(body);
  }

  function verify(request: IncomingMessage, response: ServerResponse): void {
    readBody(request, (body) => {
      const question = body ? questions(body) : 'The body is too large, or broke off.';
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
    const { url = '/', method } = request;
    if (url.startsWith(AUTH) && (url.length === AUTH.length || url[AUTH.length] === '?')) {
      return auth(response, requirements(url.slice(AUTH.length + 1)), new ForwardedCall(request));
    }
    const [, wanted, path] = ENVOY.exec(url) ?? [];
    if (wanted !== undefined) {
      return auth(response, requirements(wanted), new ForwardedCall(request, path));
    }
    if (url === '/v1/verify' && method === 'POST') {
      if (!isLocal(request)) return sendError(response, 403, 'Only for programs of this machine.');
      return verify(request, response);
    }
    if (relay?.serves(request, response)) return;
    if (url === '/healthz') return sendJson(response, 200, { status: 'ok' });
    if (url === '/readyz') return sendReadiness(response, keyrail.state());
    if (url === '/metrics') {
      response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
      return void response.end(counts.text(keyrail.state(), relay?.counts() ?? null));
    }
    return sendError(response, 404, 'There is no such path.');
  };
}

/** Over a Unix socket there is no address. */
function isLocal({ socket: { remoteAddress: address } }: IncomingMessage): boolean {
  if (address === undefined) return true;
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

const codes = {
  400: 'invalid_request',
  403: 'forbidden',
  404: 'not_found',
  413: 'payload_too_large',
  503: 'unavailable',
} as const;

export function sendError(
  response: ServerResponse,
  status: keyof typeof codes,
  message: string,
): void {
  sendJson(response, status, { error: { code: codes[status], message } });
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  sendText(response, status, JSON.stringify(value));
}

/** `text` is JSON. */
function sendText(response: ServerResponse, status: number, text: string): void {
  const length = Buffer.byteLength(text);
  const headers = ['Content-Type', JSON_TYPE, 'Content-Length', String(length)];
  // Text of one byte for each character is copied as it is, instead of encoded.
  const encoding = length === text.length ? 'latin1' : 'utf8';
  endLater({ response: response.writeHead(status, headers), text, encoding });
}
