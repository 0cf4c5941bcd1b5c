// The kinds of email, and each kind's parameters.

export type MailParams = {
  verify_email: Record<never, string>;
  existing_account: Record<never, string>;
  password_reset: Record<never, string>;
  /** `inviter` is empty if the invitation was created with a secret key. */
  invite: { workspace: string; role: string; inviter: string };
  /**
   * `expires_at` is empty if the key has already expired. `found_at` is the URL reported by the
   * scanner, or empty if there was none.
   */
  key_quarantined: {
    workspace: string;
    display_prefix: string;
    env: string;
    expires_at: string;
    found_at: string;
  };
  /** Sent to the operator. `task` is `backup` or `restore_test`. */
  backup_failed: { task: string; reason: string; at: string };
  webhook_disabled: { workspace: string; host: string };
  /**
   * `keys` lists the first of the `count` keys, separated by `; `; `others` is how many aren't
   * listed.
   */
  keys_expiring: { workspace: string; count: string; keys: string; others: string };
};

export type MailKind = keyof MailParams;

/**
 * Requests for an email about an account. Queuing one doesn't read the account, so an HTTP request
 * writes the same row whether or not the account exists. Later, the worker looks up the account,
 * and turns the request into an email or deletes it.
 */
export type MailRequestParams = {
  /** Both values have the same length, so that the row's size reveals nothing. */
  sign_up: { account: 'new' | 'old' };
  password_reset_request: Record<never, string>;
  verification_request: Record<never, string>;
};

type MailRequestKind = keyof MailRequestParams;

export const isMailRequest = (kind: string): kind is MailRequestKind =>
  kind === 'sign_up' || kind === 'password_reset_request' || kind === 'verification_request';

/** The page that an email's link opens. The token is in the URL fragment. */
export const mailPages: Partial<Record<MailKind, string>> = {
  verify_email: '/verify-email',
  existing_account: '/reset-password',
  password_reset: '/reset-password',
  invite: '/accept-invite',
};
