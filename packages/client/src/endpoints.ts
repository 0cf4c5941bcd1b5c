// Every endpoint with its input and its responses, derived from the protocol by types alone: this
// file is empty at run time, so the validators of the protocol are not loaded. Other files import
// only `protocol/wire`. The build publishes these types fully resolved (see published-types.ts), so
// that a user of the package needs no validator either.
import type {
  BodyInputOf,
  Endpoint as Declared,
  PathParams,
  QueryInputOf,
  ReplyOf,
} from '@keyrail/protocol/endpoint.ts';
import type { AnyLine, allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import type { Impact } from '@keyrail/protocol/objects/impact.ts';
import type { WireErrorCode } from '@keyrail/protocol/wire/wire-error-codes.ts';

type All = typeof allEndpoints;

/** Keyed by method and path, as in `GET /v1/keys/{id}`. */
export type Endpoints = {
  [E in AnyLine]: {
    params: PathParams<E>;
    /** Undefined where the endpoint takes no query. */
    query: All[E] extends { query: NonNullable<Declared['query']> }
      ? QueryInputOf<All[E]>
      : undefined;
    /** Undefined where the endpoint takes no body. */
    body: BodyInputOf<All[E]>;
    bodyOptional: All[E] extends { bodyOptional: true } ? true : false;
    /** Paged by `cursor` and a `Link` header. */
    paged: All[E] extends { list: true } ? true : false;
    /** The answer to a dry run; null where the endpoint has none. */
    dryRun: All[E] extends { dryRun: true } ? Impact : null;
    /** Every declared response, failures with a body of their own included. */
    reply: ReplyOf<All[E]>;
  };
};

/** The closed list of error codes. */
export type ErrorCodes = { [C in WireErrorCode]: true };
