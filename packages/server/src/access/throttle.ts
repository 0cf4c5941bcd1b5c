// Guessing must be slow: how often one client address and one mail address may knock at the doors
// that need no credential. It counts what was submitted, so it is the same for known and unknown.
// A session proves neither the password behind it nor the mailbox: those are bounded as well.

import { isIPv6 } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { SECOND_MS } from '../base/duration.ts';
import { ApiError } from '../base/errors.ts';
import { openMemoryCounters } from '../volatile/memory.ts';

export type Throttle = {
  charge(clientAddress: string, email?: string): void;
  /** What a signed-in person may try, or have mailed to the address that they gave. */
  chargeAccount(userId: string): void;
  /** Mail to an address that someone else named; apart, or inviting would shut people out. */
  chargeRecipient(email: string): void;
};

const free = (): void => {};

export const noThrottle: Throttle = { charge: free, chargeAccount: free, chargeRecipient: free };

const WINDOW_MS = 60_000;
const PER_CLIENT_MAX = 120;
const PER_EMAIL_MAX = 10;
const PER_ACCOUNT_MAX = 10;
const PER_RECIPIENT_MAX = 30;
/** More names than this in one minute: the oldest are forgotten, memory stays bounded. */
const NAMES_MAX = 100_000;

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Who comes by IPv6 has a whole network, of 64 bits, and could be someone else with every request.
 * An IPv4 address in the clothes of the other is told apart as what it is.
 */
function clientOf(address: string): string {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const groups = head.split(':').filter(Boolean);
  const last = tail?.split(':').filter(Boolean) ?? [];
  const zeros = Array(Math.max(0, IPV6_GROUPS - groups.length - last.length)).fill('0');
  const network = [...groups, ...zeros, ...last].slice(0, NETWORK_GROUPS);
  return network.map((group) => Number.parseInt(group, 16)).join(':');
}

export function throttleBy(clock: Clock): Throttle {
  const counters = openMemoryCounters({
    nowMs: () => clock.now().getTime(),
    countersMax: NAMES_MAX,
  });

  function charge(name: string, limit: number): void {
    const rule = { name, limit, windowMs: WINDOW_MS, algorithm: 'fixed' as const };
    const { allowed, tallies } = counters.check([rule], 1);
    if (allowed) return;
    const seconds = Math.ceil((tallies[0]?.waitMs ?? WINDOW_MS) / SECOND_MS);
    throw new ApiError('rate_limited', undefined, { headers: { 'retry-after': `${seconds}` } });
  }

  return {
    charge(clientAddress, email) {
      charge(`client ${clientOf(clientAddress)}`, PER_CLIENT_MAX);
      if (email !== undefined) charge(`email ${email.toLowerCase()}`, PER_EMAIL_MAX);
    },
    chargeAccount: (userId) => charge(`account ${userId}`, PER_ACCOUNT_MAX),
    chargeRecipient: (email) => charge(`recipient ${email.toLowerCase()}`, PER_RECIPIENT_MAX),
  };
}
