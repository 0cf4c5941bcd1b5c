export const texts = {
  failed: 'Couldn’t check what this would affect.',
  day: 'Requests (24 h)',
  week: 'Requests (7 d)',
  lastUse: 'Last used',
  used: (when: string | null, capped: boolean) => {
    if (!capped) return when ?? 'never';
    return when === null ? 'unknown' : `${when} or later`;
  },
  capped: (keys: string) =>
    `This affects ${keys} keys. The numbers below cover only 10,000 of them.`,
  nodes: 'Live nodes',
  nodesUnable: 'Nodes that would reject it',
  keys: 'Active keys',
  tenants: 'Tenants',
  hot: (when: string) => `In use. Last request: ${when}.`,
};
