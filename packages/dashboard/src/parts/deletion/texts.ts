const keys = (count: number): string =>
  count === 1 ? '1 key revoked' : `${count.toLocaleString('en')} keys revoked`;

export const texts = {
  title: {
    tenant: (name: string) => `Delete ${name}?`,
    project: (name: string) => `Delete ${name}?`,
  },
  action: { tenant: 'Delete tenant', project: 'Delete project' },
  meaning: {
    tenant:
      'All of this tenant’s live and test keys stop working on every node, and its embed tokens are revoked. You can reuse the external ID afterwards. This can’t be undone.',
    project:
      'All of this project’s live and test keys stop working, and its nodes reject every request. This can’t be undone.',
  },
  noImpact: 'Couldn’t check what this would affect.',
  done: (name: string, revoked: number) => `${name} deleted. ${keys(revoked)}.`,
};
