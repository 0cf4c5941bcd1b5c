import type { Env } from '../../paths.ts';
import type { Fix } from './use-explain.ts';

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);

export const texts = {
  title: 'Explain',
  lead: 'Why does a node allow or deny a key? Every check, in the order in which a node makes it.',
  question: 'The request',
  key: 'Key',
  keyPlaceholder: 'kr_live_… or kr_test_…',
  keyHint: 'The text goes to the server for this answer. It is neither stored nor logged.',
  pick: 'Or one of your keys',
  pickPlaceholder: 'Name, prefix or id',
  noKeys: 'No matching keys',
  scopes: 'Scopes that the route requires',
  scopesPlaceholder: 'invoices:write',
  env: 'Environment that the route requires',
  envs: [
    { value: 'any', label: 'Any' },
    { value: 'live', label: 'Live' },
    { value: 'test', label: 'Test' },
  ],
  at: 'Time of the request',
  atHint: 'Now, if empty.',
  ask: 'Explain',
  askFirst: 'Paste a key or choose one first.',
  failed: 'The key could not be explained.',
  goneKey: 'No such key.',
  emptyTitle: 'One key, nine checks',
  empty:
    'Paste the key that a customer reports, or choose one of yours. The answer names the check that fails, and how to fix it.',
  docs: 'How a node decides',
  allowed: 'Allowed',
  denied: 'Denied',
  states: {
    disabled: 'This key is disabled.',
    revoked: 'This key is revoked.',
    expired: 'This key has expired.',
  },
  reason: (code: string) => `A node gives the reason ${code}.`,
  passes: 'The request goes through to your handler.',
  version: (version: number) => `Policy version ${version}`,
  nodes: ({ total, current }: { total: number; current: number }) => {
    if (total === 0) return 'No node is connected. One that starts now decides like this.';
    if (total === current) return `${nodes(total)} connected, all at this version.`;
    return `${current} of ${nodes(total)} at this version. The others may still decide otherwise.`;
  },
  checks: 'Checks',
  checkNames: {
    format: 'Form',
    checksum: 'Checksum',
    known: 'Known',
    project: 'Project',
    disabled: 'Enabled',
    revoked: 'Not revoked',
    expired: 'Not expired',
    environment: 'Environment',
    scopes: 'Scopes',
  },
  outcomes: { pass: 'Pass', fail: 'Fail', skipped: 'Skipped' },
  unnamed: 'Unnamed key',
  answer: 'What the caller gets',
  answerDenied: 'The exact answer of your API, as the SDK sends it.',
  answerAllowed: 'The SDK adds nothing to it: your handler answers.',
  copyAnswer: 'Copy answer',
  remedies: {
    successor: 'Open successor',
    open: 'Open key',
    create: 'Create another key',
    trim: 'Remove the white space',
    bare: 'Remove the word before it',
    ownProject: 'Explain for its own project',
    anyEnv: (env: Env) => `Explain for ${env}`,
    keys: (env: Env) => `See ${env} keys`,
    projects: 'See projects',
    otherKey: 'Use another key',
  },
  fix: {
    action: (fix: Fix, env: Env) => {
      if (fix.act === 'enable') return `Enable ${env} key`;
      if (fix.act === 'extend') return `Extend ${env} key by 30 days`;
      const { scopes } = fix;
      return `Add ${scopes.length === 1 ? scopes[0] : `${scopes.length} scopes`} to ${env} key`;
    },
    scopes: 'New scopes',
    meaning: {
      enable: 'Nodes accept the key again with their next poll.',
      extend: 'Nodes keep accepting the key until its new expiry.',
      addScopes:
        'Anything using this key gets these scopes with the next poll. Check that this tenant should have them.',
    },
    key: 'Key',
    tenant: 'Tenant',
    expires: 'New expiry',
    noTenant: 'Couldn’t load the tenant.',
    noImpact: 'Couldn’t load the impact.',
    done: {
      addScopes: 'Scopes added.',
      enable: 'Key enabled.',
      extend: 'The key works for 30 more days.',
    },
  },
};
