// The relay's requests to the control plane. A response is kept as received, even if compressed, so
// that nodes get the exact bytes that the control plane sent and signed.
import { createHash } from 'node:crypto';
import {
  Agent,
  type ClientRequestArgs,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { withoutEnd } from '@keyrail/protocol/wire/trim.ts';

export type Answer = {
  status: number;
  /** Names and values alternate, as in `writeHead`. */
  headers: string[];
  body: Buffer;
  /** The body as it is sent to nodes. */
  sent: Buffer | string;
  /** The version in the response's ETag; null if it has none. */
  version: number | null;
};

type Question = {
  method: 'GET' | 'POST';
  /** The path and query. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /**
   * False for a credential that hasn't been checked yet, so that its connection is closed, not
   * reused.
   */
  agent?: false;
};

/** The control plane can't be reached, or its response is too large. */
export class Unreachable extends Error {}

export type Upstream = {
  /** Throws Unreachable. */
  ask(question: Question): Promise<Answer>;
  /** Sends a request whose body is streamed. */
  open(
    options: RequestOptions & Pick<Question, 'headers'>,
    onResponse: (response: IncomingMessage) => void,
  ): ReturnType<typeof request>;
  /** The number of requests since startup. */
  requests(): number;
  close(): void;
};

/** The maximum number of connections per secret key. */
const SOCKETS_MAX = 512;
/** The maximum number of idle connections per secret key that stay open for its next requests. */
const IDLE_SOCKETS_MAX = 16;
/**
 * The maximum number of connections for all secret keys together. Even if 100 keys keep all of
 * their idle connections open, more can be opened.
 */
const ALL_SOCKETS_MAX = 2048;
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
const SENT_AS_TEXT_MAX = 64 * 1024;
/** Headers that apply only to one connection, or to one encoding of the body. */
const NOT_PASSED = new Set(
  `connection content-length keep-alive proxy-authenticate proxy-connection te trailer
   transfer-encoding upgrade`.split(/\s+/),
);

/**
 * Headers meant only for browsers. Nodes don't need them, and when ten thousand nodes get a change
 * at the same moment, each header delays the last node (`npm run bench -- relay`).
 */
const FOR_BROWSERS = new Set(
  `content-security-policy cross-origin-opener-policy cross-origin-resource-policy referrer-policy
   strict-transport-security x-content-type-options x-frame-options`.split(/\s+/),
);

/** `base` is the control plane's root URL. */
export function openUpstream(base: string): Upstream {
  const { protocol, hostname, port, pathname } = new URL(base);
  const isTls = protocol === 'https:';
  const agent = poolsIn(isTls ? TlsAgent : Agent);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const root = withoutEnd(pathname, '/');
  let requests = 0;
  const open: Upstream['open'] = (given, onResponse) => {
    requests += 1;
    const pool = hashOf(given.headers.authorization ?? '');
    const at = { agent, ...given, pool, host, port, path: `${root}${given.path}` };
    const sent = isTls ? tlsRequest(at) : request(at);
    return sent.on('response', (response) => {
      // Node.js accepts a status such as 099 from a server, but throws when asked to send it.
      if ((response.statusCode ?? 0) >= 200) onResponse(response);
      else sent.destroy(new Error('the response status is invalid'));
    });
  };
  return {
    ask: (question) => asked(open, question),
    open,
    requests: () => requests,
    close: () => agent.destroy(),
  };
}

type Pooled = ClientRequestArgs & { pool?: string };

/**
 * Keeps separate connections for each secret key. If one ever gets out of sync, it affects only
 * requests with that key.
 */
function poolsIn(Kind: typeof Agent): Agent {
  const agent = new Kind({
    keepAlive: true,
    maxSockets: SOCKETS_MAX,
    maxFreeSockets: IDLE_SOCKETS_MAX,
    maxTotalSockets: ALL_SOCKETS_MAX,
  });
  const addressOf = agent.getName.bind(agent);
  agent.getName = (options: Pooled = {}) => `${addressOf(options)} ${options.pool}`;
  return agent;
}

const asked = (
  open: Upstream['open'],
  { method, target, headers, body = '', timeoutMs, signal, agent }: Question,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const fail = (why: string) => {
      sent.destroy();
      end();
      reject(new Unreachable(why));
    };
    const abort = () => fail('the request was abandoned');
    const timer = setTimeout(() => fail('the control plane did not respond in time'), timeoutMs);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const all = { ...headers, ...(body && length) };
    const options = { method, path: target, headers: all, ...(agent === false && { agent }) };
    const sent = open(options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX) fail('the response is too large');
        else chunks.push(chunk);
      });
      response.on('error', () => fail('the response was cut off'));
      response.on('end', () => {
        if (!response.complete) return fail('the response was cut off');
        end();
        resolve(answerOf(response, Buffer.concat(chunks)));
      });
    });
    sent.on('error', () => fail('the control plane is unreachable'));
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    sent.end(body);
  });

function answerOf(response: IncomingMessage, body: Buffer): Answer {
  const { statusCode: status = 502, headers } = response;
  const passed = passedHeaders(response, FOR_BROWSERS);
  // A 304 has no body, and its Content-Length would be the length of the full response.
  if (status !== 304) passed.push('Content-Length', String(body.length));
  const [, version] = /:(\d{1,16})"$/.exec(headers.etag ?? '') ?? [];
  const isPolicy = status === 200 || status === 304;
  return {
    status,
    headers: passed,
    body,
    // Node.js writes a string together with the headers, but a buffer separately, which is slower
    // (`npm run bench -- relay`).
    sent: body.length <= SENT_AS_TEXT_MAX ? body.toString('latin1') : body,
    version: isPolicy && version !== undefined ? Number(version) : null,
  };
}

/**
 * Returns a response's headers, without those that apply only to its connection and those in
 * `without`.
 */
export function passedHeaders(
  { rawHeaders }: IncomingMessage,
  without: ReadonlySet<string> = new Set(),
): string[] {
  const passed: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const lower = name.toLowerCase();
    if (NOT_PASSED.has(lower) || without.has(lower)) continue;
    passed.push(name, rawHeaders[at + 1] ?? '');
  }
  return passed;
}

/** Identifies a credential, so that the credential itself need not be kept in memory. */
export const hashOf = (credential: string): string =>
  createHash('sha256').update(credential).digest('base64');
