export const texts = {
  title: 'Found a workspace',
  lead: 'You become its owner. Its first secret key belongs to test; live keys come when you need them.',
  crumb: 'Workspaces',
  name: 'Name',
  namePlaceholder: 'Acme',
  slug: 'Address',
  slugHint: (slug: string) =>
    `Its pages are at /w/${slug === '' ? '…' : slug}. It cannot be changed later.`,
  slugShape: 'From 3 to 63 small letters, digits and hyphens, with no hyphen at either end.',
  slugTaken: 'This address is taken.',
  action: 'Found workspace',
  secretTitle: (name: string) => `First secret key of ${name}, for test`,
  secretNote: 'Your own programs call the API with it. Keep it where you keep passwords.',
  copy: 'Copy secret key',
};
