// Every endpoint with its input and responses, as types derived from the protocol. At run time this
// file is empty, so the protocol's validators are not loaded; the other files import only
// `protocol/wire`. The build publishes these types fully resolved (see published-types.ts), so
// users of the package do not need the validators either.
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
    /** The query; undefined if the endpoint accepts none. */
    query: All[E] extends { query: NonNullable<Declared['query']> }
      ? QueryInputOf<All[E]>
      : undefined;
    /** The body; undefined if the endpoint accepts none. */
    body: BodyInputOf<All[E]>;
    bodyOptional: All[E] extends { bodyOptional: true } ? true : false;
    /** Whether the response is a list, paged by `cursor` and a `Link` header. */
    paged: All[E] extends { list: true } ? true : false;
    /** The response to a dry run; null if the endpoint doesn't support one. */
    dryRun: All[E] extends { dryRun: true } ? Impact : null;
    /** Every declared response, including failures that have their own body format. */
    reply: ReplyOf<All[E]>;
  };
};

/** The complete set of error codes. */
export type ErrorCodes = { [C in WireErrorCode]: true };
