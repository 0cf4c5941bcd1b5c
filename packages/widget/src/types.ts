// Types for vendors' pages: the tokens they give to the element, and the events they receive.

/**
 * Why the element needs a token: it has just started, the old token is about to expire, or the old
 * token was rejected.
 */
export type TokenReason = 'start' | 'refresh' | 'refused';

/** The fields of an `embed_token` that the element uses. */
export type Token = {
  token: string;
  /** When the element should request the next token, as an ISO time. */
  refresh_after: string;
};

export type GetToken = (reason: TokenReason) => Promise<Token>;

/** A function that replaces `fetch`, for previews and tests. */
export type Transport = typeof fetch;

/** A key as it appears in events, which never include its secret. */
export type KeyDetail = { id: string; display_prefix: string; name: string | null };

export type ReadyDetail = { scopes: readonly string[]; test_mode: boolean };

export type ErrorDetail = { code: string; message: string; request_id: string | null };

/**
 * Why there is no usable token. `refused`: the new tokens were rejected as well. `unavailable`: a
 * token couldn't be fetched.
 */
export type TokenExpiredDetail = { reason: 'refused' | 'unavailable' };

/** The element's events by name. They do not bubble, and none contains a key or a token. */
export type KeyrailKeysEvents = {
  ready: CustomEvent<ReadyDetail>;
  created: CustomEvent<KeyDetail>;
  rotated: CustomEvent<KeyDetail>;
  revoked: CustomEvent<KeyDetail>;
  error: CustomEvent<ErrorDetail>;
  'token-expired': CustomEvent<TokenExpiredDetail>;
};
