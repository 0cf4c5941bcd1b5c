const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);

export const texts = {
  title: 'Nodes',
  lead: 'Your processes that verify keys. A change has fully rolled out once every connected node has applied it.',
  failed: 'Couldn’t load nodes.',
  failedProjects: 'Couldn’t load projects.',
  table: (project: string) => `Nodes in ${project}`,
  version: (version: number) => `Version ${version.toLocaleString('en')}`,
  node: 'Node',
  state: 'State',
  policy: 'Policy',
  env: 'Environment',
  sdk: 'SDK',
  seen: 'Last seen',
  since: 'First seen',
  states: { current: 'Current', behind: 'Behind', silent: 'Silent', away: 'Not connected' },
  envs: { all: 'Live and test', live: 'Live', test: 'Test' },
  notYet: 'none yet',
  of: (version: number, current: number) =>
    version === current ? `v${version}` : `v${version} of v${current}`,
  silent: (count: number) => `${nodes(count)} silent for over 90 seconds`,
  silentMeans:
    'Revocations don’t wait for silent nodes. A node is removed from this list after 7 days of silence.',
  none: 'No nodes connected.',
  connect: 'Connect a node',
  emptyTitle: 'No nodes connected',
  empty:
    'A node is one of your processes running the Keyrail SDK. It shows up here as soon as it connects.',
  noProjectTitle: 'No projects yet',
  noProject:
    'Each node belongs to a project, which is one API you protect. Create a project first.',
  projects: 'Go to projects',
  how: (project: string) => `Connect a node to ${project}`,
  secret:
    'Set KEYRAIL_SECRET_KEY to a secret key made for a node, which can verify keys and nothing else. This page updates automatically.',
  secretKeys: 'Secret keys',
  overprivileged: (count: number, names: readonly string[], hidden: number) =>
    `${nodes(count)} ${count === 1 ? 'polls' : 'poll'} with a secret key that can do more than a node needs: ${names.join(', ')}${hidden > 0 ? ` and ${hidden} more` : ''}. Create a secret key for a node, deploy it, then revoke the old one.`,
};
