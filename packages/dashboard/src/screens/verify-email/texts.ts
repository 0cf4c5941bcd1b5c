export const texts = {
  title: 'Verify your address',
  checking: 'Checking the link.',
  done: 'Your address is verified',
  doneText: 'You can accept invitations now.',
  go: 'Go on',
  failed: 'This link does not work',
  failedText: 'It was used already, or it has expired.',
  noToken: 'The address lacks its token. Open the link in the mail again.',
  again: 'Send another link',
  sent: 'A new link is on its way.',
  signIn: 'Sign in to get another link',
};
