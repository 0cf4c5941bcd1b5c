export const texts = {
  title: 'Choose a new password',
  password: 'New password',
  minimum: (count: number) => `At least ${count} characters.`,
  action: 'Set password',
  done: 'Password updated',
  doneText: 'You’ve been signed out everywhere. Sign in with your new password.',
  signIn: 'Sign in',
  failed: 'This link doesn’t work',
  noToken: 'Part of the link is missing. Open the link in the email again.',
  another: 'Get a new link',
};
