// How an endpoint is declared. Its name is its method and path, such as `GET /v1/workspace`.
import { z } from 'zod';
import { queryBoolean } from './query.ts';
import type { Auth, accepts } from './wire/auth.ts';
import type { Permission } from './wire/permissions.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
export type Line = `${Method} /${string}`;

export type Endpoint = Described & (TakesSecretKey | TakesNone);

type SecretKeyAuth = {
  [A in Auth]: 'secret_key' extends (typeof accepts)[A][number] ? A : never;
}[Auth];

type TakesSecretKey = {
  auth: SecretKeyAuth;
  /** The permission a secret key needs; null if none is needed. */
  permission: Permission | null;
};

type TakesNone = { auth: Exclude<Auth, SecretKeyAuth>; permission?: never };

type Described = {
  summary: string;
  /** What the endpoint does and when to call it, in one to four sentences of Markdown. */
  description: string;
  /** The required role, if it differs from the one implied by the method. */
  role?: 'owner';
  /** The endpoint covers all projects, so a secret key limited to certain projects gets a 403. */
  allProjects?: true;
  /** Even without the permission, a secret key may call the endpoint with its own ID. */
  ownKey?: true;
  /**
   * Set if a request changes nothing even though it is not a GET, so that members may call the
   * endpoint.
   */
  reads?: true;
  /** Accepts `dry_run=true`, which returns 200 with an `impact` and changes nothing. */
  dryRun?: true;
  /** Descriptions of request headers; documentation only. */
  headers?: Record<string, string>;
  query?: z.ZodObject;
  /** `raw`: the handler gets the bytes unparsed. */
  body?: z.ZodType | 'raw';
  /** The schema of a raw body; documentation only. */
  rawBody?: z.ZodType;
  /** An empty body is read as `{}`. */
  bodyOptional?: true;
  bodyBytesMax?: number;
  /** The maximum number of JSON values in the body, for endpoints that accept large bodies. */
  bodyValuesMax?: number;
  anyContentType?: true;
  /**
   * Error statuses that the other fields do not imply, each with its reason. Server tests fail on
   * an undeclared 409.
   */
  refusals?: Partial<Record<404 | 409 | 413 | 429, string>>;
  /** The response is a list, paged with `cursor` and a `Link` header. */
  list?: true;
  /** Response bodies by status; null if there is no body. */
  answers: Record<number, z.ZodType | null>;
};

/**
 * Preserves the exact type of the map, so that misspelt methods and unknown fields do not compile.
 */
export function endpoints<const T extends Record<Line, Endpoint>>(map: T & OnlyKnown<T>): T {
  return map;
}

type OnlyKnown<T> = {
  [L in keyof T]: L extends Line
    ? { [F in keyof T[L]]: F extends keyof Endpoint ? T[L][F] : never }
    : never;
};

/** `{ id: string }` for a path with `{id}`; an empty object for a path without parameters. */
export type PathParams<L extends string> = { [P in ParamName<L>]: string };

type ParamName<L extends string> = L extends `${string}{${infer P}}${infer Rest}`
  ? P | ParamName<Rest>
  : never;

/** The parsed query, with defaults applied and text converted to values. */
export type QueryOf<E> = E extends { query: infer Q extends z.ZodType }
  ? z.output<Q>
  : Record<never, never>;

/**
 * The query as a client passes it: typed values, in which parameters with a default are optional.
 */
export type QueryInputOf<E> = E extends { query: infer Q extends z.ZodType }
  ? { [K in keyof z.input<Q>]: K extends keyof z.output<Q> ? z.output<Q>[K] : never }
  : Record<never, never>;

/** The parsed body. */
export type BodyOf<E> = E extends { body: 'raw' }
  ? Uint8Array
  : E extends { body: infer B extends z.ZodType }
    ? z.output<B>
    : undefined;

/** The body as a client passes it. */
export type BodyInputOf<E> = E extends { body: 'raw' }
  ? Uint8Array
  : E extends { body: infer B extends z.ZodType }
    ? z.input<B>
    : undefined;

/** The body of any success response; null for a success without a body, such as 304. */
export type AnswerOf<E> = E extends { answers: infer A } ? BodyAt<A, SuccessStatus<A>> : never;

/** Every declared response with its status, including failures that have their own body format. */
export type ReplyOf<E> = E extends { answers: infer A }
  ? { [S in keyof A]: { status: S; body: BodyAt<A, S> } }[keyof A]
  : never;

type SuccessStatus<A> = {
  [S in keyof A]: S extends number ? (`${S}` extends `${2 | 3}${string}` ? S : never) : never;
}[keyof A];

type BodyAt<A, S extends keyof A> = {
  [K in S]: A[K] extends z.ZodType ? z.output<A[K]> : null;
}[S];

/** Whether the endpoint is read-only. */
export const isSafe = (line: string, { reads }: Endpoint): boolean =>
  reads === true || splitLine(line).method === 'GET';

const dryRunQuery = {
  dry_run: queryBoolean(false).meta({
    description: 'Changes nothing and returns the `impact` the change would have.',
  }),
};

/** Returns the schema of the whole query; undefined if the endpoint accepts no query parameters. */
export const querySchemaOf = ({ query, dryRun }: Endpoint): z.ZodObject | undefined =>
  dryRun ? (query ?? z.strictObject({})).extend(dryRunQuery) : query;

/** Returns the names of the path parameters, in order. */
export function pathParams(line: string): string[] {
  return Array.from(line.matchAll(/\{([^{}]+)\}/g), ([, name = '']) => name);
}

export function splitLine(line: string): { method: Method; path: string } {
  const [method = '', path = ''] = line.split(' ');
  if (!isMethod(method)) throw new TypeError(`Not a method and a path: ${line}`);
  return { method, path };
}

const isMethod = (word: string): word is Method =>
  word === 'GET' || word === 'POST' || word === 'PATCH' || word === 'DELETE';

/**
 * Whether an endpoint accepts an `Idempotency-Key`. Every POST endpoint for vendors that changes
 * something accepts one, so that a change is made only once per key and retries get the stored
 * response.
 */
export const acceptsRequestKey = (
  line: string,
  { auth, reads }: Pick<Endpoint, 'auth' | 'reads'>,
): boolean => auth === 'vendor' && !reads && splitLine(line).method === 'POST';

/**
 * Returns an endpoint's error statuses, in ascending order. They always include 400, because any
 * request can contain an unknown query parameter.
 */
export function refusalStatuses(line: string, endpoint: Endpoint): number[] {
  const { auth, body, anyContentType, refusals = {} } = endpoint;
  const { method } = splitLine(line);
  const implied = [
    400,
    ...(auth !== 'none' ? [401] : []),
    ...(auth !== 'none' && auth !== 'signature' ? [403] : []),
    ...(pathParams(line).length > 0 ? [404] : []),
    ...(body ? [413] : []),
    ...(body && !anyContentType ? [415] : []),
    ...(acceptsRequestKey(line, endpoint) ? [409, 422] : []),
    // Endpoints that accept a body without a credential are throttled, and so are changes made with
    // embed tokens.
    ...((auth === 'none' && body) || (auth === 'embed' && method !== 'GET') ? [429] : []),
  ];
  const declared = new Set([...implied, ...Object.keys(refusals).map(Number)]);
  return [...declared].sort((a, b) => a - b);
}

/**
 * Whether the documented headers are required. Signature and origin headers are required, but
 * `If-None-Match` isn't.
 */
export const requiresItsHeaders = ({ auth }: Endpoint): boolean =>
  auth === 'signature' || auth === 'embed';
