// The texts of the dialog that asks to sign in again, which is loaded when a session ends.
export const ended = {
  title: 'Your session has ended',
  text: (email: string) =>
    `Sign in as ${email} to go on where you were. Nothing on this page is lost.`,
  other: 'Sign in as another person',
  action: 'Sign in',
  password: 'Password',
};
