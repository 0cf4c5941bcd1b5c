export const texts = {
  title: 'Workspaces',
  lead: 'A workspace holds the projects, tenants and keys for one product or team.',
  create: 'Create workspace',
  list: 'Your workspaces',
  emptyTitle: 'No workspaces yet',
  empty: 'Create one to start issuing keys, or open the invitation a colleague sent you.',
  failed: 'Couldn’t load your workspaces.',
  mailFiles:
    'This server saves emails as files instead of sending them. Look in the mail folder inside its data directory.',
  unverified: (email: string) =>
    `${email} isn’t verified yet. Open the link in the verification email.`,
  again: 'Send a new link',
  sent: 'A new link is on its way.',
};
