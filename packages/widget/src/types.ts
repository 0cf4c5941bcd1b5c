// Types for the vendor's page: the tokens it passes to the element, and the events it receives.

/**
 * Why the element needs a token: it has just started, the old token expires soon, or it was
 * rejected.
 */
export type TokenReason = 'start' | 'refresh' | 'refused';

/** The fields of an `embed_token` that the element uses. */
export type Token = {
  token: string;
  /** The ISO time at which the element requests the next token. */
  refresh_after: string;
};

export type GetToken = (reason: TokenReason) => Promise<Token>;

/** Replaces `fetch`, for previews and tests. */
export type Transport = typeof fetch;

/** A key in events, without its secret. */
export type KeyDetail = { id: string; display_prefix: string; name: string | null };

export type ReadyDetail = { scopes: readonly string[]; test_mode: boolean };

export type ErrorDetail = { code: string; message: string; request_id: string | null };

/** `refused`: new tokens were also rejected. `unavailable`: no token could be fetched. */
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
