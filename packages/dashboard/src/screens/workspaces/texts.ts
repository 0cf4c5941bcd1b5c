export const texts = {
  title: 'Workspaces',
  lead: 'A workspace holds the projects, customers and keys of one product or team.',
  found: 'Found a workspace',
  list: 'Your workspaces',
  emptyTitle: 'No workspace yet',
  empty: 'Found one to create keys, or open the invitation that a colleague sent you.',
  failed: 'Your workspaces could not be read.',
  mailFiles:
    'This server writes its mail to files and sends none. Look in the folder mail of its data directory.',
  unverified: (email: string) => `${email} is not verified yet: open the link in the mail.`,
  again: 'Send another link',
  sent: 'A new link is on its way.',
};
