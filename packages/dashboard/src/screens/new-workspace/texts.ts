export const texts = {
  title: 'Create a workspace',
  lead: 'You’ll be its owner. It starts with a test secret key; you can create live keys when you need them.',
  crumb: 'Workspaces',
  name: 'Name',
  namePlaceholder: 'Acme',
  slug: 'Workspace URL',
  slugHint: (slug: string) =>
    `${slug === '' ? 'Part of your workspace’s URL' : `Your workspace will be at /w/${slug}`}. You can’t change this later.`,
  slugShape:
    'Use 3 to 63 lowercase letters, digits and hyphens. It can’t start or end with a hyphen.',
  slugTaken: 'That URL is already taken.',
  action: 'Create workspace',
  secretTitle: (name: string) => `Test secret key for ${name}`,
  secretNote:
    'It can manage everything in test, so store it like a password. Create a narrower secret key for each node and backend.',
  copy: 'Copy secret key',
};
