import type { Env } from '../../paths.ts';

export type EndAct = 'revoke' | 'disable';

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);
const milliseconds = (ms: number): string => `${ms.toLocaleString('en')} ms`;

export const texts = {
  title: {
    revoke: (name: string) => `Revoke ${name}`,
    disable: (name: string) => `Disable ${name}`,
  },
  action: {
    revoke: (env: Env) => `Revoke ${env} key`,
    disable: (env: Env) => `Disable ${env} key`,
  },
  meaning: {
    revoke: 'Every node refuses it at once. This cannot be undone; a new key takes its place.',
    disable: 'Every node refuses it at once, until you enable it again. Nothing else changes.',
  },
  reason: 'Reason',
  reasonHint: 'For the audit log and your colleagues.',
  reasons: {
    revoke: ['Leaked', 'No longer used', 'Customer left', 'Replaced by another key'],
    disable: ['Unpaid invoice', 'Suspicious traffic', 'Asked for by the customer'],
  },
  noImpact: 'The impact could not be read.',
  running: { revoke: 'Revoking', disable: 'Disabling' },
  clock: (ms: number) => milliseconds(ms),
  everywhere: (ms: number) => `Refused everywhere after ${milliseconds(ms)}`,
  everywhereNote: (ms: number) =>
    `Counted by the control plane from the change on. This page had the answer after ${milliseconds(ms)}.`,
  noNode: 'No node is connected. One that starts now learns it first.',
  some: (acked: number, all: number, ms: number) =>
    `Refused by ${acked} of ${nodes(all)} after ${milliseconds(ms)}`,
  someNote:
    'A node that has not answered may still accept the key. It refuses it as soon as it polls again. If it was stopped, it no longer counts after 90 seconds.',
  silent: (count: number) =>
    count === 1
      ? '1 more node polled today and is silent now. If it still runs, it accepts the key until it polls again.'
      : `${count} more nodes polled today and are silent now. If they still run, they accept the key until they poll again.`,
  receipt: {
    verifying: 'Verifying the signed receipt',
    verified: 'The signed receipt was verified in this browser.',
    refused: (reason: string) => `The receipt could not be verified. ${reason}`,
    ofAnotherKey: 'It is that of another key.',
    impossible:
      'This browser cannot verify the signed receipt here. Save it and run “keyrail receipt verify”.',
    save: 'Save receipt',
  },
  version: (version: number) => `v${version}`,
  becomes: 'to',
  waits: 'waits',
  applied: 'applied',
  lastHeard: 'last heard',
  list: 'Nodes in the order in which they answered',
  many: (count: number) => `and ${nodes(count)} more`,
  look: 'Look at the key',
  close: 'Close',
  done: { revoke: 'Revoked', disable: 'Disabled' },
  enable: {
    title: (name: string) => `Enable ${name}`,
    action: (env: Env) => `Enable ${env} key`,
    text: 'Nodes accept it again with their next poll, unless it has expired meanwhile.',
    since: 'Disabled',
    reason: (reason: string) => `Reason: ${reason}`,
    done: (name: string) => `${name} is enabled. Nodes accept it with their next poll.`,
  },
};
