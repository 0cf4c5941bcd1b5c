import type { IncompleteReason } from '@keyrail/protocol/wire/receipt.ts';
import type { Env } from '../../paths.ts';

export type EndAct = 'revoke' | 'disable';

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);
const milliseconds = (ms: number): string => `${ms.toLocaleString('en')} ms`;

/** Why a change is not known to be applied everywhere, and what helps. */
const incomplete: Record<IncompleteReason, string> = {
  restored:
    'The server was restored from a backup moments ago. Nodes that joined after that backup may not have reported back yet, so they may still accept this key. Check again in two minutes to be sure.',
  full: 'This project can’t register more nodes. Any others aren’t counted here and may still accept this key. Let nodes share a relay, or split the project.',
  silent:
    'At least one node hasn’t polled since the change. If it’s still running without a connection, it accepts this key until it polls again. After 90 seconds without a poll, nodes no longer count. Check again then.',
  timeout:
    'At least one node polled moments ago but hasn’t confirmed the change yet, so it may still accept this key. Check again in a few seconds.',
};

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
    revoke: 'Every node rejects it immediately. This can’t be undone; a new key takes its place.',
    disable: 'Every node rejects it immediately, until you enable it again. Nothing else changes.',
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
  everywhere: (ms: number) => `Rejected everywhere after ${milliseconds(ms)}`,
  everywhereNote: (ms: number) =>
    `Counted by the control plane from the change on. This page had the answer after ${milliseconds(ms)}.`,
  noNode: 'No node is connected. One that starts now learns it first.',
  some: (acked: number, all: number, ms: number) =>
    `Rejected by ${acked} of ${nodes(all)} after ${milliseconds(ms)}`,
  noneYet: (ms: number) => `No node has reported back after ${milliseconds(ms)}`,
  incomplete,
  again: 'Check again',
  silent: (count: number) =>
    count === 1
      ? '1 more node polled today and is silent now. If it still runs, it accepts the key until it polls again.'
      : `${count} more nodes polled today and are silent now. If they still run, they accept the key until they poll again.`,
  receipt: {
    verifying: 'Verifying the signed receipt',
    verified: 'The signed receipt was verified in this browser.',
    verifiedPartly:
      'The signed receipt was verified in this browser. It states that some nodes may still accept this key.',
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
