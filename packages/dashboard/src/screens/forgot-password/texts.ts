export const texts = {
  title: 'Reset your password',
  lead: 'Get a link by email to choose a new password.',
  email: 'Email address',
  action: 'Send reset link',
  sentTitle: 'Check your email',
  sentText: (email: string) =>
    `If there’s an account for ${email}, a reset link is on its way. The link works once.`,
  mailFiles:
    'This server saves emails as files instead of sending them. Look in the mail folder inside its data directory.',
  back: 'Back to sign-in',
};
