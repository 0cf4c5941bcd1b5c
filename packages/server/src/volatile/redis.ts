// Counters in Redis, shared by all processes and based on the Redis server's clock. If a server
// stops responding in time, checks that need it are rejected immediately until a pulse succeeds.
import { unavailable } from '../base/errors.ts';
import type { Outage } from '../base/outage.ts';
import { boundedBy, createBreakers } from './breaker.ts';
import {
  type Counters,
  type Lease,
  type Owner,
  type Rest,
  type Rule,
  SLOT_PARTS,
  type Verdict,
} from './counters.ts';
import { createChecks } from './redis-checks.ts';
import { createLeases } from './redis-leases.ts';
import { openLink } from './redis-link.ts';
import { openMemoryWatch } from './redis-memory.ts';
import { createShares } from './redis-shares.ts';

const REDIS_NAMES_MAX = 1_000_000;

const ANSWER_MS_MAX = 250;
const PULSE_MS = 500;
/**
 * Keeps each script call short, because other processes use the same server: 16 checks with two
 * rules take a quarter of a millisecond. In November 2026, `npm run bench -- ratelimit` measured
 * 7,842 checks a second, compared with 7,379 with at most 8 checks per call.
 */
const CHECKS_AT_ONCE_MAX = 16;

type RedisParts = {
  url: string;
  isCluster: boolean;
  onFault(reason: string): void;
  onBack?(): void;
  /** Set by tests, to control the time; production uses the Redis server's clock. */
  nowMs?(): number;
  answerMsMax?: number;
  /** The default is 1,000,000, or fewer in a small Redis. */
  namesMax?: number | null;
  /** Notified while a server is nearly full, and when it no longer is. */
  nearFull?: Outage;
};

type Counted = { owner: Owner; rules: readonly Rule[]; now: number | '' };
type Wanted = { want: number; id: string };

export type RedisCounters = Omit<Counters, 'check' | 'lease' | 'giveBack'> & {
  check(owner: Owner, rules: readonly Rule[], cost: number): Promise<Verdict>;
  lease(owner: Owner, rules: readonly Rule[], wanted: Wanted): Promise<Lease>;
  giveBack(owner: Owner, rules: readonly Rule[], rest: Rest): Promise<number>;
  /** Resolves once the first connection has been opened or has failed. */
  settled: Promise<void>;
};

export function openRedisCounters(parts: RedisParts): RedisCounters {
  const { isCluster, nowMs } = parts;
  const { answerMsMax = ANSWER_MS_MAX, namesMax = null } = parts;
  const within = boundedBy(answerMsMax);
  const settled = Promise.withResolvers<void>();
  const breakers = createBreakers(parts);
  const shares = createShares();
  const memory = openMemoryWatch({
    ask: () => answered(link.memory().map(within)),
    nearFull: parts.nearFull,
    onLook: shares.look,
  });

  async function pulseOf(server: string): Promise<void> {
    try {
      await within(link.pulse(server));
      breakers.of(server).close();
    } catch (fault) {
      breakers.of(server).pulseFailed(fault);
    }
  }

  async function pulse(): Promise<void> {
    const servers = link.servers();
    breakers.keep(servers);
    await Promise.all([...servers.map(pulseOf), memory.look()]);
  }

  function lost(fault: unknown): void {
    for (const server of link.servers()) breakers.of(server).note(fault);
    settled.resolve();
  }

  // The regular pulses don't resolve `settled`, because every pulse fails until the connection is
  // open.
  const onReady = () => void pulse().then(settled.resolve);
  const link = openLink({ ...parts, answerMsMax, onFault: lost, onReady });
  const pulsing = setInterval(() => void pulse(), PULSE_MS);
  pulsing.unref();
  // On a Cluster, each check is a separate call, because the counters of two checks may be on
  // different servers.
  const atOnceMax = isCluster ? 1 : CHECKS_AT_ONCE_MAX;
  const refusal = (server: string): Error =>
    unavailable(new Error(`redis: ${breakers.of(server).reason()}`));
  function failed(server: string, fault: unknown): Error {
    breakers.of(server).failed(fault);
    return refusal(server);
  }
  const worked = (server: string): void => breakers.of(server).worked();
  const ask = createChecks(link, { within, atOnceMax, worked, failed });
  const leases = createLeases(link, { isCluster, within, worked, failed });

  function bounded(server: string, { name, namesMax: chosenMax }: Owner): Owner {
    const most = namesMax === null ? Math.min(chosenMax, shares.ownerMax()) : chosenMax;
    // A script can access only one slot, so each of an owner's parts gets an equal share of its
    // counters.
    const ofPart = isCluster ? Math.floor(most / SLOT_PARTS) : most;
    return { name, namesMax: Math.min(ofPart, shares.namesMaxOf(server, name)) };
  }

  /** Runs the call on the server that has the counters, unless it is known to be unreachable. */
  function onServer<T>(
    owner: Owner,
    rules: readonly Rule[],
    run: (server: string, counted: Counted) => Promise<T>,
  ): Promise<T> {
    const server = link.serverOf(rules[0]?.name ?? owner.name);
    if (breakers.of(server).isOpen()) return Promise.reject(refusal(server));
    if (shares.isLookDue(server, rules.length)) void memory.look();
    const counted = bounded(server, owner);
    return run(server, { owner: counted, rules, now: nowMs?.() ?? '' });
  }

  return {
    store: 'redis',
    isSlotted: isCluster,
    namesMax: namesMax ?? REDIS_NAMES_MAX,
    settled: settled.promise,
    check: (owner, rules, cost) =>
      onServer(owner, rules, (server, counted) => ask(server, { ...counted, cost })),
    lease: (owner, rules, wanted) =>
      onServer(owner, rules, (server, counted) => leases.lease(server, { ...counted, ...wanted })),
    giveBack: (owner, rules, rest) =>
      onServer(owner, rules, (server, counted) => leases.giveBack(server, { ...counted, ...rest })),
    state: () => ({
      configured: true,
      ready: !breakers.isOpen(),
      error: breakers.reason() ?? memory.remark(),
    }),
    async close() {
      memory.close();
      breakers.silence();
      clearInterval(pulsing);
      link.close();
    },
  };
}

/** Returns the values of the promises that resolve, and ignores the rest. */
const answered = async <T>(asked: readonly Promise<T>[]): Promise<T[]> =>
  (await Promise.allSettled(asked)).flatMap((one) =>
    one.status === 'fulfilled' ? [one.value] : [],
  );
