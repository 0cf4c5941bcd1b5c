// How an endpoint is said: its line is its name, everything else hangs on it.
import type { z } from 'zod';

/**
 * Who may call. `vendor`: secret key or session. `session`: a signed-in person. `machine`: secret
 * key. `machineHot`: secret key, remembered for a few seconds. `minting`: secret key, not
 * remembered at all and never from a page. `embed`: embed token. `founder`: session or bootstrap
 * token. `signature`: a signed webhook.
 */
export type Auth =
  | 'none'
  | 'vendor'
  | 'session'
  | 'machine'
  | 'machineHot'
  | 'minting'
  | 'embed'
  | 'founder'
  | 'signature';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
export type Line = `${Method} /${string}`;

export type Endpoint = {
  auth: Auth;
  summary: string;
  description?: string;
  /** Raises the least role above what the method implies. */
  role?: 'owner';
  /** Request headers with a meaning of their own; documentation only. */
  headers?: Record<string, string>;
  query?: z.ZodObject;
  /** `raw` hands over the bytes unread. */
  body?: z.ZodType | 'raw';
  /** What raw bytes should hold; documentation only. */
  rawBody?: z.ZodType;
  /** No bytes at all mean `{}`. */
  bodyOptional?: true;
  bodyBytesMax?: number;
  /** How many values a large body may be made of. */
  bodyValuesMax?: number;
  anyContentType?: true;
  /** Has a budget of its own; documentation only. */
  budgeted?: true;
  /** Paged by `cursor` and a `Link` header. */
  list?: true;
  /** By status; null is an answer without a body. */
  answers: Record<number, z.ZodType | null>;
};

/** Keeps the exact type of the map and refuses misspelt lines and unknown fields. */
export function endpoints<const T extends Record<Line, Endpoint>>(map: T & OnlyKnown<T>): T {
  return map;
}

type OnlyKnown<T> = {
  [L in keyof T]: L extends Line
    ? { [F in keyof T[L]]: F extends keyof Endpoint ? T[L][F] : never }
    : never;
};

/** `{ id: string }` for a line with `{id}`; no keys for a line without. */
export type PathParams<L extends string> = { [P in ParamName<L>]: string };

type ParamName<L extends string> = L extends `${string}{${infer P}}${infer Rest}`
  ? P | ParamName<Rest>
  : never;

/** The query as the endpoint's code sees it: defaults filled in, text turned into values. */
export type QueryOf<E> = E extends { query: infer Q extends z.ZodType }
  ? z.output<Q>
  : Record<never, never>;

/** The query as a caller says it, before it becomes text: same values, defaults left out. */
export type QueryInputOf<E> = E extends { query: infer Q extends z.ZodType }
  ? { [K in keyof z.input<Q>]: K extends keyof z.output<Q> ? z.output<Q>[K] : never }
  : Record<never, never>;

/** The body as the endpoint's code sees it. */
export type BodyOf<E> = E extends { body: 'raw' }
  ? Uint8Array
  : E extends { body: infer B extends z.ZodType }
    ? z.output<B>
    : undefined;

/** The body as a caller writes it. */
export type BodyInputOf<E> = E extends { body: 'raw' }
  ? Uint8Array
  : E extends { body: infer B extends z.ZodType }
    ? z.input<B>
    : undefined;

/** The body of any success answer; null where a success has none, as with 304. */
export type AnswerOf<E> = E extends { answers: infer A } ? BodyAt<A, SuccessStatus<A>> : never;

/** Every declared answer with its status, failures that have a body of their own included. */
export type ReplyOf<E> = E extends { answers: infer A }
  ? { [S in keyof A]: { status: S; body: BodyAt<A, S> } }[keyof A]
  : never;

type SuccessStatus<A> = {
  [S in keyof A]: S extends number ? (`${S}` extends `${2 | 3}${string}` ? S : never) : never;
}[keyof A];

type BodyAt<A, S extends keyof A> = {
  [K in S]: A[K] extends z.ZodType ? z.output<A[K]> : null;
}[S];

/** The names between braces, in order. */
export function pathParams(line: string): string[] {
  return Array.from(line.matchAll(/\{([^}]+)\}/g), ([, name = '']) => name);
}

export function splitLine(line: string): { method: Method; path: string } {
  const [method = '', path = ''] = line.split(' ');
  if (!isMethod(method)) throw new TypeError(`Not an endpoint line: ${line}`);
  return { method, path };
}

const isMethod = (word: string): word is Method =>
  word === 'GET' || word === 'POST' || word === 'PATCH' || word === 'DELETE';

/** Conditional requests are a choice; signatures and origins are not. */
export const requiresItsHeaders = ({ auth }: Endpoint): boolean =>
  auth === 'signature' || auth === 'embed';
