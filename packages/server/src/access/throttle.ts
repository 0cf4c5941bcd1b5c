// Guessing must be slow: how often one client address and one mail address may use the endpoints
// that need no credential. It counts what was submitted, so it is the same for known and unknown.
// A session proves neither the password behind it nor the mailbox: those are bounded as well.
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../base/duration.ts';
import { ApiError } from '../base/errors.ts';
import { type Counters, partOf, type Verdict } from '../volatile/counters.ts';
import { openMemoryCounters } from '../volatile/memory.ts';

export type Throttle = {
  /** Signing up and consuming one-time tokens. */
  charge(clientAddress: string, email?: string): Promise<void>;
  /** Asking for a new password. Counted apart: wrong logins must not stop a reset. */
  chargeReset(clientAddress: string, email: string): Promise<void>;
  /** Throws when this client has tried this address too often, or has tried too many. */
  chargeLogin(clientAddress: string, email: string): Promise<LoginAttempt>;
  /** What a signed-in person may try, or have mailed to the address that they gave. */
  chargeAccount(userId: string): Promise<void>;
  /** Mail to an address that someone else named; apart, or inviting would shut people out. */
  chargeRecipient(email: string): Promise<void>;
};

export type LoginAttempt = {
  /**
   * Set once an address was tried too often, from all clients together. It is thrown after the
   * password was verified, and only the right password from a client that has signed in with it
   * before goes on. So neither the answer nor its time depends on whether the client is known, and
   * nobody learns from it whether there is an account.
   */
  refusal: ApiError | null;
  isKnownClient: boolean;
  /** Remembers the client as one from which this person has signed in. */
  succeeded(): Promise<void>;
};

const free = async (): Promise<void> => {};

export const noThrottle: Throttle = {
  charge: free,
  chargeReset: free,
  chargeLogin: async () => ({ refusal: null, isKnownClient: false, succeeded: free }),
  chargeAccount: free,
  chargeRecipient: free,
};

/** Each kind of name is bounded by itself, so that a flood of one drops none of another. */
type Kind =
  | 'client'
  | 'signup'
  | 'reset'
  | 'login'
  | 'pair'
  | 'known'
  | 'account'
  | 'recipient'
  | 'embed';

type Rate = { limit: number; windowMs: number; algorithm: 'fixed' | 'sliding' };

const perMinute = (limit: number): Rate => ({ limit, windowMs: MINUTE_MS, algorithm: 'fixed' });

const RATES: Record<Kind, Rate> = {
  client: perMinute(120),
  signup: perMinute(10),
  reset: perMinute(10),
  login: perMinute(10),
  // One client and one address: the budget that other clients cannot use up.
  pair: perMinute(10),
  // Not a limit: it is remembered for as long as it counts.
  known: { limit: 1_000_000_000, windowMs: 31 * DAY_MS, algorithm: 'sliding' },
  account: perMinute(10),
  recipient: perMinute(30),
  // Changes that one tenant makes through embed tokens.
  embed: perMinute(120),
};

/** Of each kind. Beyond it the oldest that are below their limit are dropped. */
const NAMES_MAX = 100_000;

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * A client with IPv6 has a whole network of 64 bits, and could use another address with every
 * request: the network is counted. An IPv4 address that is written as IPv6 is counted as IPv4.
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

/** Client and mail addresses are not written to another store: they are counted under a digest. */
const digestOf = (kind: Kind, subject: string): string =>
  createHash('sha256').update(`${kind} ${subject}`).digest('base64url');

type Count = { used: number; waitMs: number };

export type Charges = {
  /** Throws 429 beyond the rate of its kind. */
  charge(kind: Kind, subject: string): Promise<void>;
  /** A cost of 0 reads the count without adding to it. */
  count(kind: Kind, subject: string, cost?: number): Promise<Count>;
};

/**
 * Counts in this process, and also where all processes count, if there is such a store. The counts
 * of this process belong to its caller alone: when a shared store is full, evicting or away,
 * guessing goes no faster than once for each process.
 */
export function chargesBy(clock: Clock, counters: Counters | null): Charges {
  const own = openMemoryCounters({ nowMs: () => clock.now().getTime(), namesMax: NAMES_MAX });
  // Counters of this process are not used: these are for workspaces.
  const shared = counters?.store === 'redis' ? counters : null;

  async function count(kind: Kind, subject: string, cost = 1): Promise<Count> {
    const digest = digestOf(kind, subject);
    const slot = shared?.isSlotted ? `{throttle/${kind}/${partOf(digest)}}` : '';
    const rules = [{ name: `kr:throttle:${slot}${digest}`, ...RATES[kind] }];
    const ownCount = countIn(own.check({ name: kind, namesMax: NAMES_MAX }, rules, cost));
    if (!shared || ownCount.waitMs > 0) return ownCount;
    try {
      const owner = { name: slot || `throttle/${kind}`, namesMax: NAMES_MAX };
      const { used, waitMs } = countIn(await shared.check(owner, rules, cost));
      return { used: Math.max(used, ownCount.used), waitMs };
    } catch {
      // The store has reported its outage itself.
      return ownCount;
    }
  }

  return {
    count,
    async charge(kind, subject) {
      const { waitMs } = await count(kind, subject);
      if (waitMs > 0) throw refusalFor(waitMs);
    },
  };
}

export function throttleBy(clock: Clock, counters: Counters | null = null): Throttle {
  const { charge, count } = chargesBy(clock, counters);

  async function chargeFor(kind: Kind, clientAddress: string, email: string): Promise<void> {
    await charge('client', clientOf(clientAddress));
    await charge(kind, email.toLowerCase());
  }

  return {
    charge: (clientAddress, email) =>
      email === undefined
        ? charge('client', clientOf(clientAddress))
        : chargeFor('signup', clientAddress, email),
    chargeReset: (clientAddress, email) => chargeFor('reset', clientAddress, email),
    async chargeLogin(clientAddress, email) {
      const pair = `${clientOf(clientAddress)} ${email.toLowerCase()}`;
      await charge('client', clientOf(clientAddress));
      await charge('pair', pair);
      // Clients that are known are counted too: else others would notice that they are.
      const { waitMs } = await count('login', email.toLowerCase());
      const { used } = await count('known', pair, 0);
      return {
        refusal: waitMs > 0 ? refusalFor(waitMs) : null,
        isKnownClient: used > 0,
        succeeded: async () => void (await count('known', pair)),
      };
    },
    chargeAccount: (userId) => charge('account', userId),
    chargeRecipient: (email) => charge('recipient', email.toLowerCase()),
  };
}

const countIn = ({ tallies }: Verdict): Count => ({
  used: tallies[0]?.used ?? 0,
  waitMs: tallies[0]?.waitMs ?? 0,
});

const refusalFor = (waitMs: number): ApiError =>
  new ApiError('rate_limited', undefined, {
    headers: { 'retry-after': `${Math.ceil(waitMs / SECOND_MS)}` },
  });
