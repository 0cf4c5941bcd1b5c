// The texts of elements that the first page of a visit does not have: it does not load them.
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
  diff: { none: 'none', becomes: ' becomes ', changed: 'changed' },
  steps: { done: ', done' },
};
