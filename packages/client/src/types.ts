// What a caller says and gets for each line, derived from the protocol by types alone: nothing
// here exists at run time, so neither the protocol nor its validators are loaded.
import type {
  AnswerOf,
  BodyInputOf,
  Endpoint,
  PathParams,
  QueryInputOf,
  ReplyOf,
} from '@keyrail/protocol/endpoint.ts';
import type { AnyLine, allEndpoints } from '@keyrail/protocol/endpoints/all.ts';

type Endpoints = typeof allEndpoints;
type Nothing = Record<never, never>;

/** The name of an endpoint: its method and path, as in `GET /v1/keys/{id}`. */
export type Line = AnyLine;

/** The body of a line's success; null where a success has none, as with 304. */
export type Answer<L extends Line> = AnswerOf<Endpoints[L]>;

/** A line whose answer is a list, read page by page. */
export type PagedLine = { [L in Line]: Endpoints[L] extends { list: true } ? L : never }[Line];

/** One element of a list. */
export type Item<L extends PagedLine> =
  Answer<L> extends { data: readonly (infer One)[] } ? One : never;

/** One page of a list; `cursor` asks for the next one and is null on the last. */
export type Page<L extends PagedLine> = { items: Item<L>[]; cursor: string | null };

/** How a single call may differ from the client's settings. */
export type CallOptions = {
  /** Ends the call, waiting and retries included; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Repeating this call is harmless, so it may be retried even when the outcome of an attempt is
   * unknown. Always so for GET and for revoking a key or an invitation.
   */
  idempotent?: boolean | undefined;
  /** Further request headers, such as `if-none-match`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The longest that one attempt may take. */
  timeoutMs?: number | undefined;
  /** The longest that the whole call may take, retries and waiting included. */
  totalMs?: number | undefined;
  /** How often an attempt may be repeated. */
  retries?: number | undefined;
};

/** What a line takes: `params`, `query` and `body` are required exactly when the line says so. */
export type CallInput<L extends Line> = ParamsPart<L> &
  QueryPart<Endpoints[L]> &
  BodyPart<Endpoints[L]> &
  CallOptions;

/** The input as the last parameter, which may be left out when nothing in it is required. */
export type InputArgs<L extends Line> =
  Nothing extends CallInput<L> ? [input?: CallInput<L>] : [input: CallInput<L>];

/** Input of a walk over pages. */
export type PagesInput<L extends PagedLine> = CallInput<L> & {
  /** A walk past this many pages rejects; it guards against endless lists. */
  pagesMax?: number | undefined;
};

export type PagesArgs<L extends PagedLine> =
  Nothing extends CallInput<L> ? [input?: PagesInput<L>] : [input: PagesInput<L>];

/** A success with its status and headers. Lines that declare 304 answer `{ status: 304 }` too. */
export type Reply<L extends Line> = Success<ReplyOf<Endpoints[L]>> & ReplyHead;

export type ReplyHead = {
  headers: Headers;
  /** What the server calls this request in its log. */
  requestId: string | null;
};

/** A request to a path that the protocol may not know. */
export type PlainRequest = CallOptions & {
  method: string;
  /** From the root of the API on, query included: `/v1/keys?limit=5`. */
  path: string;
  /** Sent as JSON, unless it is bytes already. */
  body?: unknown;
};

/** The answer to a plain request: `body` is parsed when it is JSON, else text, else null. */
export type PlainReply = ReplyHead & { status: number; body: unknown };

type Success<R> = R extends { status: infer S extends number }
  ? `${S}` extends `${2 | 3}${string}`
    ? R
    : never
  : never;

type ParamsPart<L extends string> =
  Nothing extends PathParams<L> ? { params?: undefined } : { params: PathParams<L> };

type QueryPart<E> = E extends { query: NonNullable<Endpoint['query']> }
  ? Nothing extends QueryInputOf<E>
    ? { query?: OrUndefined<QueryInputOf<E>> | undefined }
    : { query: OrUndefined<QueryInputOf<E>> }
  : { query?: undefined };

type BodyPart<E> = E extends { body: unknown }
  ? E extends { bodyOptional: true }
    ? { body?: BodyInputOf<E> | undefined }
    : { body: BodyInputOf<E> }
  : { body?: undefined };

/** What may be left out may also be said to be undefined: it is not sent either way. */
type OrUndefined<T> = {
  [K in keyof T]: Nothing extends Pick<T, K> ? T[K] | undefined : T[K];
};
