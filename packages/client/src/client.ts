// The typed client. Every endpoint can be called by its method and path, or as a method of its
// resource. Misspelt endpoints, missing fields and unknown fields do not compile. The client runs
// wherever fetch is available: in Node.js 20 and later, and in browsers.
import { isUnencrypted } from '@keyrail/protocol/wire/base-url.ts';
import { HOUR_MS } from '@keyrail/protocol/wire/durations.ts';
import { traceHeaders } from '@keyrail/protocol/wire/traceparent.ts';
import { attempt, type Prepared } from './attempt.ts';
import { walkPages } from './pages.ts';
import { baseOf, checkToken, type LooseInput, prepareEndpoint, preparePath } from './request.ts';
import { type Resources, resourcesOver } from './resources.ts';
import { type Exchange, jsonOf, jsonOrText } from './response.ts';
import { isRepeatable, type RetryLimits, withRetries } from './retry.ts';
import type {
  Answer,
  Argument,
  CallInput,
  CallOptions,
  DryRunEndpoint,
  Endpoint,
  Impact,
  Page,
  PagedEndpoint,
  PagesLimit,
  PlainReply,
  PlainRequest,
  Reply,
  ReplyHead,
} from './types.ts';

const TIMEOUT_MS_DEFAULT = 30_000;
const TOTAL_MS_DEFAULT = 60_000;
const RETRIES_DEFAULT = 2;
const RETRIES_MAX = 10;

/** Client settings. Only `url` is required. */
export type ClientOptions = {
  /** The deployment's root URL, such as `https://keys.example.com`. */
  url: string;
  /** Secret key, session, embed token or bootstrap token. Omit it for public endpoints. */
  token?: string | null | undefined;
  /** A function used instead of the runtime's fetch. */
  fetch?: typeof fetch | undefined;
  /** Headers sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Returns the current span, to be sent in the `traceparent` header so that the server's spans
   * become part of your trace. It is called once per call. Omit it if your process instruments
   * `fetch`.
   */
  traceparent?: (() => string | undefined) | undefined;
  /** Time limit for one attempt, in milliseconds; 30 seconds by default. */
  timeoutMs?: number | undefined;
  /**
   * Time limit for a call in milliseconds, including retries and waiting; 60 seconds by default.
   */
  totalMs?: number | undefined;
  /** How many times a failed attempt may be retried: 2 by default, at most 10. */
  retries?: number | undefined;
};

/**
 * Created by {@link createClient}. Each endpoint is a method of its resource, such as
 * `client.keys.rotate(id)`. A client does not hold any connections and does not need to be closed.
 */
export type Client = Caller &
  Resources & {
    /**
     * Like `call`, but also resolves with the status and the headers. For endpoints that may
     * respond with a 304.
     *
     * @example
     * const reply = await client.reply('GET /v1/policy/snapshot', {
     *   query: { project_id },
     *   headers: { 'if-none-match': etag },
     * });
     * if (reply.status === 200) load(reply.body.keys, reply.headers.get('etag'));
     */
    reply<E extends Endpoint>(endpoint: E, ...input: Argument<CallInput<E>>): Promise<Reply<E>>;

    /**
     * Returns what a change would affect: keys, tenants, recent requests and nodes. Changes
     * nothing, and fails if the call itself would fail.
     *
     * @example
     * const impact = await client.dryRun('DELETE /v1/tenants/{id}', { params: { id } });
     * console.log(`${impact.active_keys} keys, ${impact.requests_24h} requests since yesterday`);
     */
    dryRun<E extends DryRunEndpoint>(
      endpoint: E,
      ...input: Argument<CallInput<E>>
    ): Promise<Impact>;

    /**
     * Sends a request to any path, untyped, with the same retries and errors.
     *
     * @example
     * const { body } = await client.request({ method: 'GET', path: '/v1/environments' });
     */
    request(request: PlainRequest): Promise<PlainReply>;

    /**
     * The same client with a different credential, or with none if `token` is null.
     *
     * @example
     * const session = await client.sessions.create({ body: { email, password } });
     * const signedIn = client.withToken(session.token);
     */
    withToken(token: string | null): Client;
  };

/** Created by {@link createCaller}: calls endpoints by their method and path. */
export type Caller = {
  /**
   * Calls an endpoint by its method and path. Resolves with the response body, or null if there is
   * none; rejects with a KeyrailError, a KeyrailUnreachable, or the reason of your abort signal.
   *
   * @example
   * const rotated = await client.call('POST /v1/keys/{id}/rotate', {
   *   params: { id },
   *   body: { overlap_hours: 48 },
   * });
   * console.log(rotated.previous_key.expires_at);
   */
  call<E extends Endpoint>(endpoint: E, ...input: Argument<CallInput<E>>): Promise<Answer<E>>;

  /**
   * Pages through a list. If you break out of the loop, no more requests are sent.
   *
   * @example
   * for await (const { items } of client.pages('GET /v1/keys', { query: { env: 'live' } })) {
   *   for (const key of items) console.log(key.display_prefix);
   * }
   */
  pages<E extends PagedEndpoint>(
    endpoint: E,
    ...input: Argument<CallInput<E> & PagesLimit>
  ): AsyncGenerator<Page<E>, void>;
};

/**
 * Creates a client for one deployment. Throws a TypeError or RangeError if an option is invalid.
 * Error messages never contain the credential.
 *
 * @example
 * const client = createClient({ url: 'https://keys.example.com', token: secretKey });
 * const created = await client.keys.create({
 *   body: { project_id, tenant_id, env: 'live', name: 'Backend' },
 * });
 * console.log(created.key); // readable only in this response
 */
export function createClient(options: ClientOptions): Client {
  const { settings, send, exchange, call, pages } = openCalls(options, addTraceTo(options));
  const dryRun = (endpoint: Endpoint, input: AnyInput = {}): Promise<never> =>
    call(endpoint, { idempotent: true, ...input, query: { ...input.query, dry_run: true } });

  return {
    ...resourcesOver({ call, pages, dryRun }),
    ...callerOver({ call, pages }),
    dryRun: (endpoint, ...[input]) => dryRun(endpoint, input),
    reply: async (endpoint, ...[input]) => {
      const received = await exchange(endpoint, input);
      return { status: received.status, body: jsonOf(received), ...headOf(received) } as never;
    },
    request: async (request) => {
      const received = await send(preparePath(settings, request), '', request);
      return { status: received.status, body: jsonOrText(received.text), ...headOf(received) };
    },
    withToken: (token) => createClient({ ...options, token }),
  };
}

/**
 * Creates a smaller client for web pages. It can only call endpoints by their method and path.
 * Options, retries and errors are the same as for {@link createClient}, except that there is no
 * `traceparent` option.
 *
 * @example
 * const caller = createCaller({ url: 'https://keys.example.com', token: embedToken });
 * const { data: keys } = await caller.call('GET /v1/embed/keys');
 */
export const createCaller = (options: Omit<ClientOptions, 'traceparent'>): Caller =>
  callerOver(openCalls(options));

type Calls = {
  call(endpoint: Endpoint, input?: AnyInput): Promise<never>;
  pages(endpoint: Endpoint, input?: AnyInput & PagesLimit): AsyncGenerator<never>;
};

const callerOver = ({ call, pages }: Calls): Caller => ({
  call: (endpoint, ...[input]) => call(endpoint, input),
  pages: (endpoint, ...[input]) => pages(endpoint, input),
});

/** Adds the trace header. The small client leaves this out, because web pages have no trace. */
const addTraceTo =
  ({ traceparent: read }: ClientOptions) =>
  (headers: Headers): void => {
    const { traceparent } = traceHeaders(read);
    if (traceparent !== undefined && !headers.has('traceparent')) {
      headers.set('traceparent', traceparent);
    }
  };

function openCalls(
  options: Omit<ClientOptions, 'traceparent'>,
  addTrace: (headers: Headers) => void = () => {},
) {
  const settings = {
    base: baseOf(options.url),
    token: checkToken(options.token ?? null),
    headers: { ...options.headers },
  };
  // Invalid options should fail here, not on the first call.
  limitsOf(options, {}, false);
  warnOfPlainHttp(settings);
  // The global fetch is looked up for each call, because instrumentation may replace it.
  const fetcher: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));

  const send = (prepared: Prepared, endpoint: string, input: CallOptions): Promise<Exchange> => {
    const limits = limitsOf(options, input, isRepeatable(prepared, endpoint));
    const { signal } = limits;
    addTrace(prepared.headers);
    return withRetries(limits, (timeoutMs) => attempt(fetcher, prepared, { timeoutMs, signal }));
  };
  const exchange = (endpoint: string, input: AnyInput = {}): Promise<Exchange> =>
    send(prepareEndpoint(settings, endpoint, input), endpoint, input);
  // The types can safely be asserted, because the server validates responses against the same
  // schemas.
  const call = async (endpoint: Endpoint, input?: AnyInput): Promise<never> =>
    jsonOf(await exchange(endpoint, input)) as never;
  const pages = (endpoint: Endpoint, input: AnyInput & PagesLimit = {}): AsyncGenerator<never> =>
    walkPages((cursor) => exchange(endpoint, atCursor(input, cursor)), input) as never;
  return { settings, send, exchange, call, pages };
}

const warned = new Set<string>();
const WARNED_MAX = 100;

/** Warns once per deployment, no matter how many clients are created for it. */
function warnOfPlainHttp({ base, token }: { base: URL; token: string | null }): void {
  const { origin } = base;
  if (token === null || !isUnencrypted(base) || warned.has(origin)) return;
  if (warned.size < WARNED_MAX) warned.add(origin);
  console.warn(`keyrail: ${origin} does not use https; the credential can be intercepted`);
}

type AnyInput = LooseInput & CallOptions;

const headOf = ({ headers }: Exchange): ReplyHead => ({
  headers,
  requestId: headers.get('x-request-id'),
});

const atCursor = (input: AnyInput, cursor: string | undefined): AnyInput =>
  cursor === undefined ? input : { ...input, query: { ...input.query, cursor } };

function limitsOf(client: ClientOptions, call: CallOptions, repeatable: boolean): RetryLimits {
  const timeoutMs = call.timeoutMs ?? client.timeoutMs ?? TIMEOUT_MS_DEFAULT;
  // If a call's limit per attempt is longer than the client's total limit, the call's total limit
  // is raised to match.
  const usualMs = client.totalMs ?? Math.max(TOTAL_MS_DEFAULT, timeoutMs);
  const totalMs = call.totalMs ?? Math.max(usualMs, call.timeoutMs ?? 0);
  return {
    repeatable: call.idempotent ?? repeatable,
    retries: within('retries', call.retries ?? client.retries ?? RETRIES_DEFAULT, RETRIES_MAX),
    timeoutMs: within('timeoutMs', timeoutMs, HOUR_MS),
    totalMs: within('totalMs', totalMs, HOUR_MS),
    signal: call.signal,
  };
}

function within(name: string, value: number, max: number): number {
  if (value >= 0 && value <= max) return value;
  throw new RangeError(`${name} must be from 0 to ${max}`);
}
