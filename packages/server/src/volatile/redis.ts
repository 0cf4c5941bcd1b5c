// Counters in Redis, shared by all processes, on the clock of the server. A server that does not
// answer within its bound is not asked for a while: until a pulse gets through again, checks are
// refused at once.
import { unavailable } from '../base/errors.ts';
import { boundedBy, openBreaker } from './breaker.ts';
import type { Counters, Rule, Verdict } from './counters.ts';
import { openChecks } from './redis-checks.ts';
import { openLink } from './redis-link.ts';

const ANSWER_MS_MAX = 250;
const PULSE_MS = 500;
/** One call of the script is short, however many wait: others ask that server too. */
const CHECKS_AT_ONCE_MAX = 8;

export type RedisParts = {
  url: string;
  isCluster: boolean;
  onFault(reason: string): void;
  onBack?(): void;
  /** For tests, which move time; in production it is the server's own. */
  nowMs?(): number;
  answerMsMax?: number;
};

export type RedisCounters = Omit<Counters, 'check'> & {
  check(rules: readonly Rule[], cost: number): Promise<Verdict>;
  /** Resolves when the first connection stands, or the first attempt has failed. */
  settled: Promise<void>;
};

export function openRedisCounters(parts: RedisParts): RedisCounters {
  const { url, isCluster, nowMs, answerMsMax = ANSWER_MS_MAX } = parts;
  const within = boundedBy(answerMsMax);
  const settled = Promise.withResolvers<void>();
  const breaker = openBreaker(parts);
  let remark: string | null = null;

  async function pulse(): Promise<void> {
    try {
      await within(link.pulse());
      if (breaker.isOpen()) remark = evictionIn(await within(link.memory()).catch(() => ''));
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
  // In a Cluster the counters of two checks may be on two servers.
  const atOnceMax = isCluster ? 1 : CHECKS_AT_ONCE_MAX;
  const refusal = (): Error => unavailable(new Error(`redis: ${breaker.reason()}`));
  function failed(fault: unknown): Error {
    breaker.failed(fault);
    return refusal();
  }
  const ask = openChecks(link, { within, atOnceMax, worked: breaker.worked, failed });

  return {
    store: 'redis',
    isSlotted: isCluster,
    settled: settled.promise,
    check(rules, cost) {
      if (breaker.isOpen()) return Promise.reject(refusal());
      return ask({ rules, cost, now: nowMs?.() ?? '' });
    },
    state: () => ({
      configured: true,
      ready: !breaker.isOpen(),
      error: breaker.reason() ?? remark,
    }),
    async close() {
      breaker.silence();
      clearInterval(pulsing);
      link.close();
    },
  };
}

/** A server that evicts forgets counters under pressure: it works, but limits may be exceeded. */
function evictionIn(memory: string): string | null {
  const most = /^maxmemory:(\d+)/m.exec(memory)?.[1] ?? '0';
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
  return most === '0' || policy === 'noeviction' ? null : `maxmemory-policy is ${policy}`;
}
