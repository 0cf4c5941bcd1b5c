// Requests with an exact outcome: a complete response, a response cut off midway, or none at all.
// Only a complete response shows what the server did.
import { Agent, request } from 'node:http';

export type Ask = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  token?: string;
  /** An idempotency key. */
  key?: string;
  /** The page's origin, as a browser sends it. */
  origin?: string;
  body?: unknown;
  agent?: Agent;
  timeoutMs?: number;
};

export type Body = Record<string, unknown>;

export type Outcome =
  | { kind: 'answered'; status: number; body: Body; link: string | undefined; ms: number }
  | { kind: 'cut'; status: number; ms: number }
  | { kind: 'lost'; code: string; ms: number };

const TIMEOUT_MS = 60_000;

/** Opens a new connection for each request unless an agent is passed. */
export function ask(url: string, asked: Ask): Promise<Outcome> {
  const { method = 'GET', path, token, key, origin, body, agent, timeoutMs = TIMEOUT_MS } = asked;
  const began = performance.now();
  const ms = () => performance.now() - began;
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve) => {
    const sent = request(`${url}${path}`, {
      method,
      agent: agent ?? false,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(key && { 'idempotency-key': key }),
        ...(origin && { origin }),
        ...(payload !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(payload),
        }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ kind: 'lost', code: error.code ?? error.message, ms: ms() }),
    );
    sent.on('response', (response) => {
      const status = response.statusCode ?? 0;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', () => {});
      response.on('close', () => {
        const parsed = response.complete ? parse(text || '{}') : null;
        const link = response.headers.link?.toString();
        resolve(
          parsed
            ? { kind: 'answered', status, body: parsed, link, ms: ms() }
            : { kind: 'cut', status, ms: ms() },
        );
      });
    });
    sent.end(payload);
  });
}

/** Parses a JSON object; null if the text isn't one. */
function parse(text: string): Body | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** A keep-alive agent, like the ones that client libraries use. */
export const keptConnections = (max: number): Agent =>
  new Agent({ keepAlive: true, maxSockets: max });

/** Returns the body of a successful response; throws for any other outcome. */
export async function answer(url: string, asked: Ask): Promise<Body> {
  const outcome = await ask(url, asked);
  if (outcome.kind === 'answered' && outcome.status < 300) return outcome.body;
  throw new Error(`${asked.method ?? 'GET'} ${asked.path}: ${JSON.stringify(outcome)}`);
}

export function codeOf(body: Body): unknown {
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
