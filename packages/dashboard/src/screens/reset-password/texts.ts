export const texts = {
  title: 'Choose a new password',
  password: 'New password',
  minimum: (count: number) => `At least ${count} characters.`,
  action: 'Set password',
  done: 'Your password is set',
  doneText: 'Every session of your account has ended. Sign in with the new password.',
  signIn: 'Sign in',
  failed: 'This link does not work',
  noToken: 'The address lacks its token. Open the link in the mail again.',
  another: 'Ask for another link',
};
