// Types for endpoint inputs and responses.
import type { Endpoints } from './endpoints.ts';

type Nothing = Record<never, never>;

/** The name of an endpoint: its method and path, such as `GET /v1/keys/{id}`. */
export type Endpoint = keyof Endpoints;

/** The body of a successful response; null if there is none, such as in a 304. */
export type Answer<E extends Endpoint> = Success<Endpoints[E]['reply']>['body'];

/** An endpoint that returns a list in pages. */
export type PagedEndpoint = {
  [E in Endpoint]: Endpoints[E]['paged'] extends true ? E : never;
}[Endpoint];

/** A change that supports a dry run. */
export type DryRunEndpoint = {
  [E in Endpoint]: Endpoints[E]['dryRun'] extends null ? never : E;
}[Endpoint];

/** What a change would affect: the result of a dry run. */
export type Impact = NonNullable<Endpoints[DryRunEndpoint]['dryRun']>;

/** One element of a list. */
export type Item<E extends PagedEndpoint> =
  Answer<E> extends { data: readonly (infer One)[] } ? One : never;

/** One page of a list. Pass `cursor` to get the next page; on the last page, `cursor` is null. */
export type Page<E extends PagedEndpoint> = { items: Item<E>[]; cursor: string | null };

/** Settings for a single call; they override the client's. */
export type CallOptions = {
  /**
   * Aborts the call, even while it waits to retry. The call then rejects with the signal's reason.
   */
  signal?: AbortSignal | undefined;
  /**
   * Identifies the call, so that it is carried out only once, no matter how many times it is sent.
   * It has 1 to 255 visible ASCII characters; by default, it is a new random key. Sent only with
   * POSTs that accept a secret key or a session.
   */
  idempotencyKey?: string | undefined;
  /**
   * True if this call is safe to retry. It is then retried even if an attempt may have succeeded.
   * Always true for GET, for calls with an idempotency key, and for revoking a key with an embed
   * token.
   */
  idempotent?: boolean | undefined;
  /** Additional request headers, such as `if-none-match`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Time limit for one attempt, in milliseconds. */
  timeoutMs?: number | undefined;
  /** Time limit for the whole call, in milliseconds, including retries and waiting. */
  totalMs?: number | undefined;
  /** How many times a failed attempt may be retried. */
  retries?: number | undefined;
};

/** A call's query, body and options. Each part is required only if the endpoint requires it. */
export type Input<E extends Endpoint> = QueryPart<Endpoints[E]> &
  BodyPart<Endpoints[E]> &
  CallOptions;

/** The input of {@link Client.call}, with path parameters by name. */
export type CallInput<E extends Endpoint> = ParamsPart<Endpoints[E]> & Input<E>;

/** Limits how many pages are read. */
export type PagesLimit = {
  /** Paging fails after this many pages, as a guard against endless lists; 1,000 by default. */
  pagesMax?: number | undefined;
};

/** An argument that may be omitted if none of its fields are required. */
export type Argument<T> = Nothing extends T ? [input?: T] : [input: T];

/** The path parameters, as the first arguments of a method. */
export type Ids<E extends string> = E extends `${string}{${string}}${infer Rest}`
  ? [id: string, ...rest: Ids<Rest>]
  : [];

/**
 * A successful response with its status and headers; also `{ status: 304 }` if the endpoint
 * declares it.
 */
export type Reply<E extends Endpoint> = Success<Endpoints[E]['reply']> & ReplyHead;

export type ReplyHead = {
  headers: Headers;
  /** The ID of this request in the server's log. */
  requestId: string | null;
};

/** A request to a path that this version of the client may not know. */
export type PlainRequest = CallOptions & {
  method: string;
  /** Path and query, from the root of the API: `/v1/keys?limit=5`. */
  path: string;
  /** The body, which is sent as JSON unless it is a Uint8Array. */
  body?: unknown;
};

/** The response to a plain request. `body` is parsed JSON, text, or null if empty. */
export type PlainReply = ReplyHead & { status: number; body: unknown };

type Success<R> = R extends { status: infer S extends number; body: unknown }
  ? `${S}` extends `${2 | 3}${string}`
    ? R
    : never
  : never;

type ParamsPart<E extends { params: object }> = Nothing extends E['params']
  ? { params?: undefined }
  : { params: E['params'] };

type QueryPart<E extends { query: unknown }> = E['query'] extends undefined
  ? { query?: undefined }
  : Nothing extends E['query']
    ? { query?: OrUndefined<E['query']> | undefined }
    : { query: OrUndefined<E['query']> };

type BodyPart<E extends { body: unknown; bodyOptional: boolean }> = E['body'] extends undefined
  ? { body?: undefined }
  : E['bodyOptional'] extends true
    ? { body?: E['body'] | undefined }
    : { body: E['body'] };

/** An optional query field may also be undefined, in which case it is omitted. */
type OrUndefined<T> = {
  [K in keyof T]: Nothing extends Pick<T, K> ? T[K] | undefined : T[K];
};
