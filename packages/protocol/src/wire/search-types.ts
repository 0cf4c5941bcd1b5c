// The types of objects that a workspace search can find.
export const searchTypes = [
  'api_key',
  'tenant',
  'project',
  'secret_key',
  'member',
  'node',
] as const;

export type SearchType = (typeof searchTypes)[number];
