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

/** The page that a link of this kind opens; the token travels in the fragment. */
export const mailPages: Partial<Record<MailKind, string>> = {
  verify_email: '/verify-email',
  existing_account: '/verify-email',
  password_reset: '/reset-password',
  invite: '/accept-invite',
};
