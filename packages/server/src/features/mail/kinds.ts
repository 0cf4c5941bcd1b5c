// The kinds of email, and the parameters of each.

export type MailParams = {
  verify_email: Record<never, string>;
  existing_account: Record<never, string>;
  password_reset: Record<never, string>;
  /** `inviter` is empty if the invitation was created with a secret key. */
  invite: { workspace: string; role: string; inviter: string };
  /**
   * `expires_at` is empty if the key has already expired. `found_at` is the URL that the scanner
   * reported; empty if it reported none.
   */
  key_quarantined: {
    workspace: string;
    display_prefix: string;
    env: string;
    expires_at: string;
    found_at: string;
  };
  /** Sent to the operator. `task`: `backup` or `restore_test`. */
  backup_failed: { task: string; reason: string; at: string };
  webhook_disabled: { workspace: string; host: string };
  /**
   * `keys` lists the first of `count` keys, separated by `; `; `others` is the number of keys that
   * are not listed.
   */
  keys_expiring: { workspace: string; count: string; keys: string; others: string };
};

export type MailKind = keyof MailParams;

/**
 * Requests for an email about an account. They are queued without reading the account, so that an
 * HTTP request writes the same row whether or not the account exists. The worker then reads the
 * account and turns each request into an email or deletes it.
 */
export type MailRequestParams = {
  /** Both values have the same length, so that the size of the row reveals nothing. */
  sign_up: { account: 'new' | 'old' };
  password_reset_request: Record<never, string>;
  verification_request: Record<never, string>;
};

type MailRequestKind = keyof MailRequestParams;

export const isMailRequest = (kind: string): kind is MailRequestKind =>
  kind === 'sign_up' || kind === 'password_reset_request' || kind === 'verification_request';

/** The page that the link in an email opens; the token is in the URL fragment. */
export const mailPages: Partial<Record<MailKind, string>> = {
  verify_email: '/verify-email',
  existing_account: '/reset-password',
  password_reset: '/reset-password',
  invite: '/accept-invite',
};
