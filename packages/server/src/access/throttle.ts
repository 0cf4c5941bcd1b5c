// Slows down guessing: limits how often endpoints that don't require a credential can be used from
// one client address or for one email address. Attempts are counted by the submitted email address,
// whether or not it has an account. A session does not prove that its user knows the password or
// can read the mailbox, so attempts with a session are limited too.
import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/duration.ts';
import { ApiError } from '../base/errors.ts';
import { type Counters, partOf, type Verdict } from '../volatile/counters.ts';
import { createMemoryCounters } from '../volatile/memory.ts';
import { networksOf } from './client-networks.ts';

export type Throttle = {
  /** Called for every request without a credential, before its body is read. */
  chargeClient(address: string): Promise<void>;
  chargeSignUp(email: string): Promise<void>;
  /** For password resets. Counted separately, so that failed logins cannot block a reset. */
  chargeReset(email: string): Promise<void>;
  /** Throws if this client has tried to sign in with this email address too often. */
  chargeLogin(clientAddress: string, email: string): Promise<LoginAttempt>;
  /** For attempts by a signed-in user, and emails to the user's own address. */
  chargeAccount(userId: string): Promise<void>;
  /**
   * For emails triggered by other people. Counted separately, so that invitations cannot block a
   * login.
   */
  chargeRecipient(email: string): Promise<void>;
  /** For invitations sent by one user, across all workspaces. */
  chargeInviter(personId: string): Promise<void>;
};

type LoginAttempt = {
  /**
   * Set if all clients together have tried this email address too often. The caller throws it after
   * verifying the password, unless the password is right and the client is known. This way, neither
   * the response nor its timing reveals whether the client is known or the account exists.
   */
  refusal: ApiError | null;
  isKnownClient: boolean;
  /** Records that this user has signed in from this client. */
  succeeded(): Promise<void>;
};

const free = async (): Promise<void> => {};

export const noThrottle: Throttle = {
  chargeClient: free,
  chargeSignUp: free,
  chargeReset: free,
  chargeLogin: async () => ({ refusal: null, isKnownClient: false, succeeded: free }),
  chargeAccount: free,
  chargeRecipient: free,
  chargeInviter: free,
};

/**
 * Each kind has its own limit on the number of counters, so that a flood of one kind doesn't evict
 * the others.
 */
type Kind =
  | 'client'
  | 'client56'
  | 'client48'
  | 'signup'
  | 'reset'
  | 'login'
  | 'pair'
  | 'known'
  | 'account'
  | 'recipient'
  | 'inviter'
  | 'embed';

type Rate = { limit: number; windowMs: number; algorithm: 'fixed' | 'sliding' };

const perMinute = (limit: number): Rate => ({ limit, windowMs: MINUTE_MS, algorithm: 'fixed' });

const CLIENT_PER_MINUTE = 120;

const RATES: Record<Exclude<Kind, 'inviter'>, Rate> = {
  client: perMinute(CLIENT_PER_MINUTE),
  // Shared by all clients in an IPv6 /56 network, and in a /48 network.
  client56: perMinute(4 * CLIENT_PER_MINUTE),
  client48: perMinute(16 * CLIENT_PER_MINUTE),
  signup: perMinute(10),
  reset: perMinute(10),
  login: perMinute(10),
  // One client's attempts with one email address. Other clients can't use up this budget.
  pair: perMinute(10),
  // Not a limit: this counter marks a client as known for 31 days.
  known: { limit: 1_000_000_000, windowMs: 31 * DAY_MS, algorithm: 'sliding' },
  account: perMinute(10),
  recipient: perMinute(30),
  // Changes that one tenant makes with embed tokens.
  embed: perMinute(120),
};

type Rates = Record<Kind, Rate>;

const INVITES_PER_HOUR_USUAL = 50;

/** The rates that the operator can set. */
type ChosenRates = { invitesPerHourMax?: number };

const ratesOf = ({ invitesPerHourMax = INVITES_PER_HOUR_USUAL }: ChosenRates): Rates => ({
  ...RATES,
  inviter: { limit: invitesPerHourMax, windowMs: HOUR_MS, algorithm: 'sliding' },
});

/**
 * The maximum number of counters of one kind. Beyond that, the oldest counters below their limit
 * are evicted.
 */
const NAMES_MAX = 100_000;

/** A digest, so that client and email addresses are never written to Redis. */
const digestOf = (kind: Kind, subject: string): string =>
  createHash('sha256').update(`${kind} ${subject}`).digest('base64url');

type Count = { used: number; waitMs: number };

type Charges = {
  /** Throws a 429 if the rate for this kind is exceeded. */
  charge(kind: Kind, subject: string): Promise<void>;
  /** A cost of 0 reads the count without adding to it. */
  count(kind: Kind, subject: string, cost?: number): Promise<Count>;
};

/**
 * Counts in this process, and also in Redis if it is configured. Only the throttle uses the
 * counters in this process, so each process still enforces the rates on its own if Redis is full,
 * evicting or unreachable.
 */
export function createCharges(
  clock: Clock,
  counters: Counters | null,
  chosen: ChosenRates = {},
): Charges {
  const rates = ratesOf(chosen);
  const own = createMemoryCounters({ nowMs: () => clock.now().getTime(), namesMax: NAMES_MAX });
  // If `counters` is in memory, it is not used here, because workspaces share it and could fill it
  // up.
  const shared = counters?.store === 'redis' ? counters : null;

  async function count(kind: Kind, subject: string, cost = 1): Promise<Count> {
    const digest = digestOf(kind, subject);
    const slot = shared?.isSlotted ? `{throttle/${kind}/${partOf(digest)}}` : '';
    const rules = [{ name: `kr:throttle:${slot}${digest}`, ...rates[kind] }];
    const ownCount = countIn(own.check({ name: kind, namesMax: NAMES_MAX }, rules, cost));
    if (!shared || ownCount.waitMs > 0) return ownCount;
    try {
      const owner = { name: slot || `throttle/${kind}`, namesMax: NAMES_MAX };
      const { used, waitMs } = countIn(await shared.check(owner, rules, cost));
      return { used: Math.max(used, ownCount.used), waitMs };
    } catch {
      // The store logs its own outages.
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

export function createThrottle(
  clock: Clock,
  counters: Counters | null = null,
  chosen: ChosenRates = {},
): Throttle {
  const { charge, count } = createCharges(clock, counters, chosen);

  async function chargeClient(address: string): Promise<void> {
    const { client, wider } = networksOf(address);
    await charge('client', client);
    if (!wider) return;
    await charge('client56', wider.bits56);
    await charge('client48', wider.bits48);
  }

  return {
    chargeClient,
    chargeSignUp: (email) => charge('signup', email.toLowerCase()),
    chargeReset: (email) => charge('reset', email.toLowerCase()),
    async chargeLogin(clientAddress, email) {
      const pair = `${networksOf(clientAddress).client} ${email.toLowerCase()}`;
      await charge('pair', pair);
      // Known clients are counted too; otherwise the response would reveal which are known.
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
    chargeInviter: (personId) => charge('inviter', personId),
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
