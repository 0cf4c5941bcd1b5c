// Every endpoint with its input and responses, derived from the protocol by types alone. This file
// is empty at run time, so the protocol's validators are not loaded. Other files only import
// `protocol/wire`. The build publishes these types fully resolved (see published-types.ts), so
// users of the package need no validator either.
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

/** The endpoints by method and path, such as `GET /v1/keys/{id}`. */
export type Endpoints = {
  [E in AnyLine]: {
    params: PathParams<E>;
    /** The query; undefined if the endpoint takes none. */
    query: All[E] extends { query: NonNullable<Declared['query']> }
      ? QueryInputOf<All[E]>
      : undefined;
    /** The body; undefined if the endpoint takes none. */
    body: BodyInputOf<All[E]>;
    bodyOptional: All[E] extends { bodyOptional: true } ? true : false;
    /** Whether the response is a list, paged by `cursor` and a `Link` header. */
    paged: All[E] extends { list: true } ? true : false;
    /** The response to a dry run; null if the endpoint has none. */
    dryRun: All[E] extends { dryRun: true } ? Impact : null;
    /** Every declared response, including failures with their own body. */
    reply: ReplyOf<All[E]>;
  };
};

/** The closed list of error codes. */
export type ErrorCodes = { [C in WireErrorCode]: true };
