// The strings for rate limits. They aren't in `en.ts`, because only a few screens need them.

type Limit = { limit: number; window: string; scope: string; algorithm: string };

export const rateLimits = {
  add: 'Add limit',
  atMost: 'at most',
  per: 'per',
  by: 'per',
  limit: 'Requests',
  window: 'Period',
  counted: 'Counted per',
  algorithm: 'Window type',
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
    `at most ${limit.toLocaleString('en')} per ${window} per ${scope}, ${algorithm} window`,
} as const;

export const limitChoice = {
  label: 'Rate limits',
  kinds: [
    { value: 'project', label: 'Project defaults' },
    { value: 'custom', label: 'Custom' },
    { value: 'unlimited', label: 'Unlimited' },
  ],
  inherited: (rules: readonly string[]) =>
    rules.length === 0 ? 'This project has no default limits.' : `Currently ${rules.join('; ')}.`,
  unlimited: {
    key: 'No rate limits apply to this key, not even the project’s defaults.',
    project: 'Keys that use the project defaults can send any number of requests.',
  },
  needsRule: 'Add a limit, or choose Unlimited.',
} as const;
