import type { IncompleteReason } from '@keyrail/protocol/wire/receipt.ts';
import type { Env } from '../../paths.ts';

export type EndAct = 'revoke' | 'disable';

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);
const milliseconds = (ms: number): string => `${ms.toLocaleString('en')} ms`;

/** Why a change may not have reached every node, and what to do. */
const incomplete: Record<IncompleteReason, string> = {
  restored:
    'The server was restored from a backup moments ago. Nodes that joined after that backup may not have reported back yet, so they may still accept this key. Check again in two minutes to be sure.',
  full: 'This project can’t register more nodes. Any others aren’t counted here and may still accept this key. Let nodes share a relay, or split the project.',
  silent:
    'At least one node hasn’t polled since the change. If it’s still running without a connection, it keeps accepting this key until it polls again. Nodes that haven’t polled for 90 seconds are no longer counted, so check again after that.',
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
    revoke:
      'Every node rejects this key immediately. This can’t be undone: to restore access, create a new key.',
    disable:
      'Every node rejects this key immediately, until you enable it again. Nothing else about it changes.',
  },
  reason: 'Reason',
  reasonHint: 'Shown in the audit log and to your team.',
  reasons: {
    revoke: ['Leaked', 'No longer used', 'Customer left', 'Replaced by another key'],
    disable: ['Unpaid invoice', 'Suspicious traffic', 'Requested by the customer'],
  },
  running: { revoke: 'Revoking…', disable: 'Disabling…' },
  clock: (ms: number) => milliseconds(ms),
  everywhere: (ms: number) => `Rejected everywhere after ${milliseconds(ms)}`,
  everywhereNote: (ms: number) =>
    `Measured by the control plane from the moment of the change. This page received the response after ${milliseconds(ms)}.`,
  noNode:
    'No nodes are connected. Any node that starts from now on will load this change before it verifies any keys.',
  some: (acked: number, all: number, ms: number) =>
    `Rejected by ${acked} of ${nodes(all)} after ${milliseconds(ms)}`,
  noneYet: (ms: number) => `No nodes had reported back after ${milliseconds(ms)}`,
  incomplete,
  again: 'Check again',
  silent: (count: number) =>
    count === 1
      ? '1 more node was seen in the last 24 hours but is silent now. If it’s still running, it keeps accepting the key until it polls again.'
      : `${count} more nodes were seen in the last 24 hours but are silent now. If they’re still running, they keep accepting the key until they poll again.`,
  receipt: {
    verifying: 'Verifying the signed receipt…',
    verified: 'Signed receipt verified in this browser.',
    verifiedPartly:
      'Signed receipt verified in this browser. It states that some nodes may still accept this key.',
    refused: (reason: string) => `Couldn’t verify the receipt. ${reason}`,
    ofAnotherKey: 'It belongs to a different key.',
    impossible:
      'This browser can’t verify the receipt on this page. Save it and run “keyrail receipt verify”.',
    save: 'Save receipt',
  },
  version: (version: number) => `v${version}`,
  becomes: 'to',
  waits: 'waiting',
  applied: 'applied',
  lastSeen: 'last seen',
  list: 'Nodes, in the order they confirmed',
  many: (count: number) => `and ${nodes(count)} more`,
  look: 'View key',
  close: 'Close',
  done: { revoke: 'Revoked', disable: 'Disabled' },
  enable: {
    title: (name: string) => `Enable ${name}?`,
    action: (env: Env) => `Enable ${env} key`,
    text: 'Nodes will accept this key again from their next poll, unless it has expired by then.',
    since: 'Disabled',
    reason: (reason: string) => `Reason: ${reason}`,
    done: (name: string) => `${name} enabled. Nodes accept it again at their next poll.`,
  },
};
