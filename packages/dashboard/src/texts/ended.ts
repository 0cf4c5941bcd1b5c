// The strings of the dialog for an ended session, which is only loaded when needed.
export const ended = {
  title: 'You’ve been signed out',
  text: (email: string) =>
    `Sign in as ${email} to pick up where you left off. Nothing on this page has been lost.`,
  other: 'Use a different account',
  action: 'Sign in',
  password: 'Password',
};
