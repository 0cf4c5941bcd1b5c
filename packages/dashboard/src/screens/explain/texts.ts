import type { Env } from '../../paths.ts';
import type { Fix } from './use-explain.ts';

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);

export const texts = {
  title: 'Explain',
  lead: 'See why a node allows or denies a key. Checks are listed in the order a node runs them.',
  question: 'Request',
  key: 'Key',
  keyPlaceholder: 'kr_live_… or kr_test_…',
  keyHint: 'The key is sent to the server only to run these checks. It’s never stored or logged.',
  pick: 'Or choose an existing key',
  pickPlaceholder: 'Name, prefix, ID or tenant',
  noKeys: 'No matching keys',
  scopes: 'Scopes the route requires',
  scopesPlaceholder: 'invoices:write',
  env: 'Environment the route requires',
  envs: [
    { value: 'any', label: 'Any' },
    { value: 'live', label: 'Live' },
    { value: 'test', label: 'Test' },
  ],
  at: 'Request time',
  atHint: 'Leave empty to use the current time.',
  ask: 'Explain key',
  askFirst: 'Paste a key or choose one first.',
  failed: 'Couldn’t run the checks.',
  goneKey: 'Key not found.',
  emptyTitle: 'Find out why a key doesn’t work',
  empty:
    'Paste the key a customer is having trouble with, or choose an existing one. You’ll see which check fails and how to fix it.',
  docs: 'How a node decides',
  allowed: 'Allowed',
  denied: 'Denied',
  states: {
    disabled: 'This key is disabled.',
    revoked: 'This key is revoked.',
    expired: 'This key has expired.',
  },
  reason: (code: string) => `Reason reported by nodes: ${code}`,
  passes: 'The request reaches your handler.',
  version: (version: number) => `Policy version ${version}`,
  nodes: ({ total, current }: { total: number; current: number }) => {
    if (total === 0) return 'No nodes are connected. This is what a node started now would decide.';
    if (total === current) return `${nodes(total)} connected, all on this version.`;
    return `${current} of ${nodes(total)} on this version. The others may still decide differently.`;
  },
  checks: 'Checks',
  checkNames: {
    format: 'Format',
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
  answer: 'What the caller sees',
  answerDenied: 'The exact response the SDK sends from your API.',
  answerAllowed: 'Your handler responds. The SDK adds nothing.',
  copyAnswer: 'Copy response',
  remedies: {
    successor: 'Open new key',
    open: 'Open key',
    create: 'Create another key',
    trim: 'Remove the spaces',
    bare: 'Remove “Bearer”',
    ownProject: 'Check against the key’s project',
    anyEnv: (env: Env) => `Check against ${env}`,
    keys: (env: Env) => `View ${env} keys`,
    projects: 'View projects',
    otherKey: 'Try another key',
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
      enable: 'Nodes accept the key again at their next poll.',
      extend: 'Nodes keep accepting the key until its new expiry.',
      addScopes:
        'Anything using this key gets these scopes at the next poll. Check that this tenant should have them.',
    },
    key: 'Key',
    tenant: 'Tenant',
    expires: 'New expiry',
    noTenant: 'Couldn’t load the tenant.',
    done: {
      addScopes: 'Scopes added.',
      enable: 'Key enabled.',
      extend: 'Expiry extended by 30 days.',
    },
  },
};
