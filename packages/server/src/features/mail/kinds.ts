// The five kinds of mail, and what each of them says.

export type MailParams = {
  verify_email: Record<never, string>;
  existing_account: Record<never, string>;
  password_reset: Record<never, string>;
  /** The inviter is empty when no person invited. */
  invite: { workspace: string; role: string; inviter: string };
  /**
   * The end is empty when it had come already. The address is where it was found, as the scanner
   * tells it; empty when it does not.
   */
  key_quarantined: {
    workspace: string;
    display_prefix: string;
    env: string;
    expires_at: string;
    found_at: string;
  };
};

export type MailKind = keyof MailParams;

/**
 * Requests for a mail about an account. They are queued without a look at the account, so that a
 * request writes the same whether or not there is one. The worker looks, and turns each of them
 * into a mail or drops it.
 */
export type MailRequestParams = {
  /** Both words have the same length: the row must not tell by its size. */
  sign_up: { account: 'new' | 'old' };
  password_reset_request: Record<never, string>;
  verification_request: Record<never, string>;
};

export type MailRequestKind = keyof MailRequestParams;

export const isMailRequest = (kind: string): kind is MailRequestKind =>
  kind === 'sign_up' || kind === 'password_reset_request' || kind === 'verification_request';

/** The page that a link of this kind opens; the token travels in the fragment. */
export const mailPages: Partial<Record<MailKind, string>> = {
  verify_email: '/verify-email',
  existing_account: '/reset-password',
  password_reset: '/reset-password',
  invite: '/accept-invite',
};
