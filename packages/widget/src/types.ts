// What the page of a vendor passes to the element and gets from it.

/** Why the element asks for a token: at its start, before the old one ends, or after a refusal. */
export type TokenReason = 'start' | 'refresh' | 'refused';

/** The fields of an `embed_token` that the element uses. */
export type Token = {
  token: string;
  /** An ISO time: the element asks for the next token then. */
  refresh_after: string;
};

export type GetToken = (reason: TokenReason) => Promise<Token>;

/** Sent instead of requests to the server, for previews and tests. */
export type Transport = typeof fetch;

/** A key, as events name it: never its value. */
export type KeyDetail = { id: string; display_prefix: string; name: string | null };

export type ReadyDetail = { scopes: readonly string[]; test_mode: boolean };

export type ErrorDetail = { code: string; message: string; request_id: string | null };

/** `refused`: new tokens were refused as well. `unavailable`: no token could be fetched. */
export type TokenExpiredDetail = { reason: 'refused' | 'unavailable' };

/** The events of the element by their names. None bubbles, and none contains a key or token. */
export type KeyrailKeysEvents = {
  ready: CustomEvent<ReadyDetail>;
  created: CustomEvent<KeyDetail>;
  rotated: CustomEvent<KeyDetail>;
  revoked: CustomEvent<KeyDetail>;
  error: CustomEvent<ErrorDetail>;
  'token-expired': CustomEvent<TokenExpiredDetail>;
};
