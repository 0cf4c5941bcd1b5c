// The texts of elements that the first page of a visit does not have: it does not load them.
type Limit = { limit: number; window: string; scope: string; algorithm: string };

export const later = {
  listIsFull: (rows: number) =>
    `The list ends after ${rows.toLocaleString('en')} rows. Filter it to see others.`,
  rows: (table: string, count: number, hasMore: boolean) =>
    `${table}: ${count === 1 ? '1 row' : `${count} rows`}${hasMore ? ', more follow' : ''}`,
  confirm: {
    type: (text: string) => `Type ${text} to confirm`,
    typeFirst: (text: string | null) => `Type ${text} first.`,
  },
  filters: {
    any: 'any',
    clear: 'Clear',
    remove: (name: string) => `Remove filter ${name}`,
  },
  scopes: {
    list: 'Scopes',
    remove: (scope: string) => `Remove ${scope}`,
  },
  rateLimits: {
    add: 'Add limit',
    atMost: 'at most',
    per: 'per',
    by: 'by',
    limit: 'Requests',
    window: 'Time',
    counted: 'Counted by',
    algorithm: 'Window',
    rule: (id: string) => `Limit ${id}`,
    remove: (id: string) => `Remove limit ${id}`,
    scopes: [
      { value: 'key', label: 'key' },
      { value: 'tenant', label: 'tenant' },
    ],
    algorithms: [
      { value: 'sliding', label: 'sliding' },
      { value: 'fixed', label: 'fixed' },
    ],
    sentence: ({ limit, window, scope, algorithm }: Limit) =>
      `at most ${limit.toLocaleString('en')} per ${window} by ${scope}, ${algorithm}`,
  } as const,
  impact: {
    day: 'Requests, 24 h',
    week: 'Requests, 7 d',
    lastUse: 'Last use',
    never: 'never',
    nodes: 'Live nodes',
    keys: 'Active keys',
    tenants: 'Tenants',
    hot: (when: string) => `In use: the last request was ${when}.`,
  },
  diff: { none: 'none', becomes: ' becomes ', changed: 'changed' },
  steps: { done: ', done' },
};
