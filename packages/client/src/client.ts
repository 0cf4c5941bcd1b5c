// The typed caller. Every line of the protocol is a call, and a misspelt line, a missing field or
// a field too many does not compile. Runs wherever fetch does: Node 20 and later, and browsers.
import { attempt, type Exchanged, type Prepared, parsedOrText } from './attempt.ts';
import { KeyrailUnreachable } from './errors.ts';
import { nextCursorOf } from './link.ts';
import { isInTheOpen } from './plain-http.ts';
import { baseOf, checkToken, type LooseInput, prepareLine, preparePath } from './request.ts';
import { isRepeatable, type Patience, persist } from './retry.ts';
import type {
  Answer,
  CallOptions,
  InputArgs,
  Line,
  Page,
  PagedLine,
  PagesArgs,
  PlainReply,
  PlainRequest,
  Reply,
  ReplyHead,
} from './types.ts';

export const TIMEOUT_MS_DEFAULT = 30_000;
export const TOTAL_MS_DEFAULT = 60_000;
export const TIME_MS_MAX = 3_600_000;
export const RETRIES_DEFAULT = 2;
export const RETRIES_MAX = 10;
export const PAGES_MAX_DEFAULT = 1_000;

/** Settings of a client. Only `url` is required. */
export type ClientOptions = {
  /** The root of the deployment, as in `https://keys.example.com`. */
  url: string;
  /** Secret key, session, embed token or bootstrap token; left out for lines open to everyone. */
  token?: string | null | undefined;
  /** In place of the runtime's fetch. */
  fetch?: typeof fetch | undefined;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The longest that one attempt may take; 30 seconds by default. */
  timeoutMs?: number | undefined;
  /** The longest that a call may take, retries and waiting included; 60 seconds by default. */
  totalMs?: number | undefined;
  /** How often an attempt may be repeated; twice by default, at most ten times. */
  retries?: number | undefined;
};

/** Made by {@link createClient}. It holds no connection and needs no closing. */
export type Client = {
  /**
   * Calls a line and resolves with the body of its answer: null where a success has none.
   * Rejects with a KeyrailError, a KeyrailUnreachable, or the reason of the caller's signal.
   *
   * @example
   * const rotated = await client.call('POST /v1/keys/{id}/rotate', {
   *   params: { id },
   *   body: { overlap_hours: 48 },
   * });
   * console.log(rotated.previous_key.expires_at);
   */
  call<L extends Line>(line: L, ...input: InputArgs<L>): Promise<Answer<L>>;

  /**
   * The same with status and headers, for lines that can answer 304.
   *
   * @example
   * const reply = await client.reply('GET /v1/policy/snapshot', {
   *   query: { project_id },
   *   headers: { 'if-none-match': etag },
   * });
   * if (reply.status === 200) load(reply.body.keys, reply.headers.get('etag'));
   */
  reply<L extends Line>(line: L, ...input: InputArgs<L>): Promise<Reply<L>>;

  /**
   * Walks a list page by page. Breaking off asks for nothing further.
   *
   * @example
   * for await (const { items } of client.pages('GET /v1/keys', { query: { env: 'live' } })) {
   *   for (const key of items) console.log(key.display_prefix);
   * }
   */
  pages<L extends PagedLine>(line: L, ...input: PagesArgs<L>): AsyncGenerator<Page<L>, void>;

  /**
   * For paths that this version does not know: untyped, but with the same retries and errors.
   *
   * @example
   * const { body } = await client.request({ method: 'GET', path: '/v1/environments' });
   */
  request(request: PlainRequest): Promise<PlainReply>;

  /**
   * The same client with another credential; null for none.
   *
   * @example
   * const session = await client.call('POST /v1/auth/sessions', { body: { email, password } });
   * const signedIn = client.withToken(session.token);
   */
  withToken(token: string | null): Client;
};

/**
 * Makes a client for one deployment. Throws a TypeError or RangeError when an option is not valid;
 * no message of it ever quotes the credential.
 *
 * @example
 * const client = createClient({ url: 'https://keys.example.com', token: secretKey });
 * const made = await client.call('POST /v1/keys', {
 *   body: { project_id, tenant_id, env: 'live', name: 'Backend' },
 * });
 * console.log(made.key); // this once
 */
export function createClient(options: ClientOptions): Client {
  const settings = {
    base: baseOf(options.url),
    token: checkToken(options.token ?? null),
    headers: { ...options.headers },
  };
  patienceOf(options, {}, false);
  warnOfPlainHttp(settings);
  // Looked up at each call, so that a runtime's instrumentation of fetch is used.
  const fetcher: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));

  const send = (prepared: Prepared, line: string, input: CallOptions): Promise<Exchanged> => {
    const patience = patienceOf(options, input, isRepeatable(prepared.method, line));
    const { signal } = patience;
    return persist(patience, (timeoutMs) => attempt(fetcher, prepared, { timeoutMs, signal }));
  };
  const ask = (line: string, input: LooseInput & CallOptions = {}): Promise<Exchanged> =>
    send(prepareLine(settings, line, input), line, input);

  return {
    // The server holds its answers against the schemas from which these types are derived.
    call: async (line, ...[input]) => bodyOf(await ask(line, input)) as never,
    reply: async (line, ...[input]) => {
      const exchanged = await ask(line, input);
      const { status } = exchanged;
      return { status, body: bodyOf(exchanged), ...headOf(exchanged) } as never;
    },
    pages: (line, ...[input]) => pagesOf((cursor) => ask(line, atCursor(input, cursor)), input),
    request: async (request) => {
      const exchanged = await send(preparePath(settings, request), '', request);
      const { status, text } = exchanged;
      return { status, body: parsedOrText(text), ...headOf(exchanged) };
    },
    withToken: (token) => createClient({ ...options, token }),
  };
}

const warned = new Set<string>();
const WARNED_MAX = 100;

/** Once for each deployment, however many clients are made for it. */
function warnOfPlainHttp({ base, token }: { base: URL; token: string | null }): void {
  const { origin } = base;
  if (token === null || !isInTheOpen(base) || warned.has(origin)) return;
  if (warned.size < WARNED_MAX) warned.add(origin);
  console.warn(`keyrail: ${origin} is not https; the credential can be read on its way`);
}

const headOf = ({ headers }: Exchanged): ReplyHead => ({
  headers,
  requestId: headers.get('x-request-id'),
});

/** Whatever is in front of the server may answer for it; then the body is no JSON. */
function bodyOf({ status, text, headers }: Exchanged): unknown {
  if (status === 304 || text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    const type = headers.get('content-type') ?? 'no content type';
    const message = `The answer is not JSON (${type}): is this the address of a Keyrail server?`;
    throw new KeyrailUnreachable('answer', message);
  }
}

type Walk = { query?: { cursor?: string | undefined } | undefined; pagesMax?: number | undefined };

async function* pagesOf<L extends PagedLine>(
  ask: (cursor: string | undefined) => Promise<Exchanged>,
  { query, pagesMax = PAGES_MAX_DEFAULT }: Walk = {},
): AsyncGenerator<Page<L>, void> {
  let cursor = query?.cursor;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const exchanged = await ask(cursor);
    const next = nextCursorOf(exchanged.headers);
    yield { items: itemsOf(bodyOf(exchanged)) as never, cursor: next };
    if (next === null) return;
    cursor = next;
  }
  throw new RangeError(`The list has more than ${pagesMax} pages.`);
}

const atCursor = (input: LooseInput & CallOptions = {}, cursor: string | undefined) =>
  cursor === undefined ? input : { ...input, query: { ...input.query, cursor } };

function itemsOf(body: unknown): unknown[] {
  const items = typeof body === 'object' && body !== null && 'data' in body ? body.data : null;
  if (Array.isArray(items)) return items;
  throw new KeyrailUnreachable('answer', 'The answer is not a list.');
}

function patienceOf(client: ClientOptions, call: CallOptions, repeatable: boolean): Patience {
  const timeoutMs = call.timeoutMs ?? client.timeoutMs ?? TIMEOUT_MS_DEFAULT;
  // A call that asks for a longer attempt than the client allows in all is given it.
  const usualMs = client.totalMs ?? Math.max(TOTAL_MS_DEFAULT, timeoutMs);
  const totalMs = call.totalMs ?? Math.max(usualMs, call.timeoutMs ?? 0);
  return {
    repeatable: call.idempotent ?? repeatable,
    retries: within('retries', call.retries ?? client.retries ?? RETRIES_DEFAULT, RETRIES_MAX),
    timeoutMs: within('timeoutMs', timeoutMs, TIME_MS_MAX),
    totalMs: within('totalMs', totalMs, TIME_MS_MAX),
    signal: call.signal,
  };
}

function within(name: string, value: number, max: number): number {
  if (value >= 0 && value <= max) return value;
  throw new RangeError(`${name} must be from 0 to ${max}`);
}
