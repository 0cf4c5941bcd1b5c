// Strings for the dialog that is shown when the session has ended. They are only loaded when
// needed.
export const ended = {
  title: 'You’ve been signed out',
  text: (email: string) =>
    `Sign in as ${email} to pick up where you left off. Nothing on this page has been lost.`,
  other: 'Use a different account',
  action: 'Sign in',
  password: 'Password',
};
