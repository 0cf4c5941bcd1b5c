// Guessing must be slow: how often one client address and one mail address may knock at the doors
// that need no credential. It counts what was submitted, so it is the same for known and unknown.
// A session proves neither the password behind it nor the mailbox: those are bounded as well.
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { SECOND_MS } from '../base/duration.ts';
import { ApiError } from '../base/errors.ts';
import type { Counters, Rule, Verdict } from '../volatile/counters.ts';
import { openMemoryCounters } from '../volatile/memory.ts';

export type Throttle = {
  charge(clientAddress: string, email?: string): Promise<void>;
  /** What a signed-in person may try, or have mailed to the address that they gave. */
  chargeAccount(userId: string): Promise<void>;
  /** Mail to an address that someone else named; apart, or inviting would shut people out. */
  chargeRecipient(email: string): Promise<void>;
};

const free = async (): Promise<void> => {};

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

/** Who knocked is nobody's business in another store: it is counted under a digest. */
const counterOf = (name: string): string =>
  `kr:throttle:${createHash('sha256').update(name).digest('base64url')}`;

/**
 * Counts where all processes count, if there is such a place. While that cannot be reached, each
 * counts for itself: it keeps nobody from signing in, and nobody may guess without end.
 */
export function throttleBy(clock: Clock, counters: Counters | null = null): Throttle {
  const own = openMemoryCounters({
    nowMs: () => clock.now().getTime(),
    countersMax: NAMES_MAX,
  });
  // Counters of this process are not shared: a flood of names would push customers' out.
  const shared = counters?.store === 'redis' ? counters : null;

  async function verdictOn(rule: Rule): Promise<Verdict> {
    try {
      if (shared) return await shared.check([rule], 1);
    } catch {
      // Told already, by the one who asks Redis.
    }
    return own.check([rule], 1);
  }

  async function charge(name: string, limit: number): Promise<void> {
    const rule = { name: counterOf(name), limit, windowMs: WINDOW_MS, algorithm: 'fixed' as const };
    const { allowed, tallies } = await verdictOn(rule);
    if (allowed) return;
    const seconds = Math.ceil((tallies[0]?.waitMs ?? WINDOW_MS) / SECOND_MS);
    throw new ApiError('rate_limited', undefined, { headers: { 'retry-after': `${seconds}` } });
  }

  return {
    async charge(clientAddress, email) {
      await charge(`client ${clientOf(clientAddress)}`, PER_CLIENT_MAX);
      if (email !== undefined) await charge(`email ${email.toLowerCase()}`, PER_EMAIL_MAX);
    },
    chargeAccount: (userId) => charge(`account ${userId}`, PER_ACCOUNT_MAX),
    chargeRecipient: (email) => charge(`recipient ${email.toLowerCase()}`, PER_RECIPIENT_MAX),
  };
}
