export const texts = {
  title: 'Verify your email address',
  checking: 'Checking the link…',
  done: 'Email address verified',
  next: {
    in: {
      text: 'Next, create a workspace, or open an invitation you’ve been sent.',
      action: 'Go to your workspaces',
    },
    out: { text: 'Sign in to create a workspace or accept an invitation.', action: 'Sign in' },
  },
  failed: 'This link doesn’t work',
  failedText: 'It has already been used, or it has expired.',
  noToken: 'Part of the link is missing. Open the link in the email again.',
  again: 'Send a new link',
  sent: 'A new link is on its way.',
  signIn: 'Sign in to get a new link',
};
