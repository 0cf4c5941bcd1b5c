// Counters in Redis, shared by all processes, on the server's clock. If the server stops answering
// in time, checks are refused at once until a pulse succeeds again.
import { unavailable } from '../base/errors.ts';
import type { Outage } from '../base/outage.ts';
import { boundedBy, createBreaker } from './breaker.ts';
import { type Counters, type Owner, type Rule, SLOT_PARTS, type Verdict } from './counters.ts';
import { createChecks } from './redis-checks.ts';
import { openLink } from './redis-link.ts';
import { openMemoryWatch } from './redis-memory.ts';

const REDIS_NAMES_MAX = 1_000_000;

const ANSWER_MS_MAX = 250;
const PULSE_MS = 500;
/** Keeps each call of the script short, because other processes use the same server. */
const CHECKS_AT_ONCE_MAX = 8;

type RedisParts = {
  url: string;
  isCluster: boolean;
  onFault(reason: string): void;
  onBack?(): void;
  /** For tests, which move time; production uses the server's clock. */
  nowMs?(): number;
  answerMsMax?: number;
  namesMax?: number;
  /** Notified while a server is nearly full, and when it no longer is. */
  nearFull?: Outage;
};

export type RedisCounters = Omit<Counters, 'check'> & {
  check(owner: Owner, rules: readonly Rule[], cost: number): Promise<Verdict>;
  /** Resolves after the first connection was opened or has failed. */
  settled: Promise<void>;
};

export function openRedisCounters(parts: RedisParts): RedisCounters {
  const { url, isCluster, nowMs } = parts;
  const { answerMsMax = ANSWER_MS_MAX, namesMax = REDIS_NAMES_MAX } = parts;
  const within = boundedBy(answerMsMax);
  const settled = Promise.withResolvers<void>();
  const breaker = createBreaker(parts);
  const memory = openMemoryWatch(() => within(link.memory()), parts.nearFull);

  async function pulse(): Promise<void> {
    try {
      await Promise.all([within(link.pulse()), memory.look()]);
      breaker.close();
    } catch (fault) {
      breaker.pulseFailed(fault);
    }
    settled.resolve();
  }

  function lost(fault: unknown): void {
    breaker.note(fault);
    settled.resolve();
  }

  const link = openLink({ url, isCluster, onFault: lost, onReady: () => void pulse() });
  const pulsing = setInterval(() => void pulse(), PULSE_MS);
  pulsing.unref();
  // On a Cluster the counters of two checks may be on different servers.
  const atOnceMax = isCluster ? 1 : CHECKS_AT_ONCE_MAX;
  const refusal = (): Error => unavailable(new Error(`redis: ${breaker.reason()}`));
  function failed(fault: unknown): Error {
    breaker.failed(fault);
    return refusal();
  }
  const ask = createChecks(link, { within, atOnceMax, worked: breaker.worked, failed });

  return {
    store: 'redis',
    isSlotted: isCluster,
    namesMax,
    settled: settled.promise,
    check(owner, rules, cost) {
      if (breaker.isOpen()) return Promise.reject(refusal());
      const counted = isCluster ? partOwner(owner) : owner;
      return ask({ owner: counted, rules, cost, now: nowMs?.() ?? '' });
    },
    state: () => ({
      configured: true,
      ready: !breaker.isOpen(),
      error: breaker.reason() ?? memory.remark(),
    }),
    async close() {
      memory.close();
      breaker.silence();
      clearInterval(pulsing);
      link.close();
    },
  };
}

/** A script sees only one slot, so each part of an owner has an equal share of its names. */
const partOwner = ({ name, namesMax }: Owner): Owner => ({
  name,
  namesMax: Math.floor(namesMax / SLOT_PARTS),
});
