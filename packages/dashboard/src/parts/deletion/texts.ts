const keys = (count: number): string =>
  count === 1 ? '1 key was revoked' : `${count.toLocaleString('en')} keys were revoked`;

export const texts = {
  title: {
    tenant: (name: string) => `Delete tenant ${name}?`,
    project: (name: string) => `Delete project ${name}?`,
  },
  action: { tenant: 'Delete tenant', project: 'Delete project' },
  meaning: {
    tenant:
      'All its live and test keys and embed tokens stop working on every node. This cannot be undone. Its external id can be used again.',
    project:
      'All its live and test keys stop working on every node, and its nodes refuse every request. This cannot be undone.',
  },
  noImpact: 'What would end could not be read.',
  done: (name: string, revoked: number) => `${name} was deleted; ${keys(revoked)}.`,
};
