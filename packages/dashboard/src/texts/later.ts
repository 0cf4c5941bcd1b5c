// Strings for elements that aren't on the first page of a visit, so they can be loaded later.
export const later = {
  listIsFull: (rows: number) =>
    `Only the first ${rows.toLocaleString('en')} rows are shown. Use filters to find the rest.`,
  rows: (table: string, count: number, hasMore: boolean) =>
    `${table}: ${count === 1 ? '1 row' : `${count} rows`}${hasMore ? ', more available' : ''}`,
  confirm: {
    type: (text: string) => `Type ${text} to confirm`,
    typeFirst: (text: string | null) => `Type ${text} to continue.`,
  },
  filters: {
    any: 'any',
    clear: 'Clear filters',
    remove: (name: string) => `Remove filter ${name}`,
  },
  scopes: {
    list: 'Scopes',
    remove: (scope: string) => `Remove ${scope}`,
  },
  diff: { none: 'none', becomes: ' becomes ', changed: 'changed' },
  steps: { done: ', done' },
};
