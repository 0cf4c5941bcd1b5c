import type { Env } from '../../paths.ts';

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);

export const texts = {
  title: 'Secret keys',
  lead: 'Credentials of your own backend. A secret key manages this environment; it never reaches a customer.',
  list: 'Secret keys',
  create: (env: Env) => `Create ${env} secret key`,
  failed: 'The secret keys could not be read.',
  revokedToo: 'Show revoked',
  emptyTitle: (env: Env) => `No ${env} secret key`,
  empty:
    'Your backend and your nodes sign in with one. Create it here and store it where they read it.',
  docs: 'What a secret key can do',
  noneLeft: 'All of them are revoked.',
  columns: {
    name: 'Name',
    state: 'State',
    prefix: 'Prefix',
    authority: 'Authority',
    by: 'Minted by',
    used: 'Last used',
    expires: 'Expires',
  },
  unnamed: 'Unnamed',
  never: 'Never',
  notRecorded: 'Not recorded',
  former: 'A former member',
  menu: (name: string) => `Actions for ${name}`,
  rotate: 'Rotate',
  revoke: 'Revoke',
  ended: 'It has ended.',
  form: {
    name: 'Name',
    nameHint: 'Where it runs: a colleague must recognise it.',
    namePlaceholder: 'Billing backend',
    expires: 'Expires',
    never: 'Never',
    days: (days: number) => `In ${days} days`,
    date: 'At a time',
    at: 'Time',
    authority: (role: string) =>
      `It acts with your role, ${role}, and goes on working when your role changes.`,
  },
  created: (name: string) => `Secret key ${name}`,
  copy: 'Copy secret key',
  lost: 'The secret key was created, but its text got lost on the way: rotate it to get another.',
  rotating: {
    title: (name: string) => `Rotate ${name}`,
    text: 'A successor with the same name takes over. Both keys work until the overlap ends.',
    overlap: 'The old key works for',
    hours: (hours: number) => {
      if (hours === 0) return 'No time: it ends at once';
      return hours < 48 ? `${hours} h more` : `${hours / 24} days more`;
    },
    action: (env: Env) => `Rotate ${env} secret key`,
    until: 'The old key works until',
    now: 'The old key has ended.',
  },
  revoking: {
    title: (name: string) => `Revoke ${name}`,
    action: (env: Env) => `Revoke ${env} secret key`,
    reason: 'Reason',
    reasonPlaceholder: 'Stands in the audit log',
    done: (name: string) => `${name} is revoked.`,
    text: 'It cannot be undone. Programs that use the key are refused at once.',
  },
  impact: {
    failed: 'What this changes could not be read.',
    recent: 'Used within the hour:',
    used: 'Last used',
    never: 'Never used.',
    nodes: (count: number) =>
      count === 0
        ? 'No connected node uses a secret key of this environment.'
        : `${nodes(count)} may use it and would lose contact. They go on deciding with the policy they have.`,
    nodesRotated: (count: number) =>
      count === 0
        ? 'No connected node uses a secret key of this environment.'
        : `${nodes(count)} may use it: give them the successor before the overlap ends.`,
  },
};
