// Counters in Redis, shared by all processes: one script call for each check, on the clock of the
// server. A server that does not answer within its bound is not asked for a while: until a pulse
// gets through again, checks are refused at once.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { unavailable } from '../base/errors.ts';
import { boundedBy, openBreaker } from './breaker.ts';
import {
  type Counters,
  type Rule,
  spanOf,
  type Tally,
  type Verdict,
  verdictOf,
  widthOf,
} from './counters.ts';
import { type Link, openLink } from './redis-link.ts';

const SCRIPT = readFileSync(new URL('./check.lua', import.meta.url), 'utf8');
const HASH = createHash('sha1').update(SCRIPT).digest('hex');

const ANSWER_MS_MAX = 250;
const PULSE_MS = 500;

export type RedisParts = {
  url: string;
  isCluster: boolean;
  onFault(reason: string): void;
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
  const { url, isCluster, onFault, nowMs, answerMsMax = ANSWER_MS_MAX } = parts;
  const within = boundedBy(answerMsMax);
  const settled = Promise.withResolvers<void>();
  const breaker = openBreaker({ onFault });
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

  return {
    store: 'redis',
    isSlotted: isCluster,
    settled: settled.promise,
    async check(rules, cost) {
      if (breaker.isOpen()) throw unavailable(new Error(`redis: ${breaker.reason()}`));
      try {
        const answer = await within(ask(link, rules, argumentsOf(rules, cost, nowMs?.() ?? '')));
        breaker.worked();
        return verdictIn(rules, answer);
      } catch (fault) {
        breaker.failed(fault);
        throw unavailable(new Error(`redis: ${breaker.reason()}`));
      }
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

async function ask(
  link: Link,
  rules: readonly Rule[],
  args: (string | number)[],
): Promise<unknown> {
  try {
    return await link.evalsha(HASH, rules.length, args);
  } catch (fault) {
    // A server that was restarted or promoted does not know the script; nothing was charged.
    if (!(fault instanceof Error && fault.message.startsWith('NOSCRIPT'))) throw fault;
    return link.eval(SCRIPT, rules.length, args);
  }
}

/** The names first: they are the script's keys. */
function argumentsOf(rules: readonly Rule[], cost: number, now: number | ''): (string | number)[] {
  const args: (string | number)[] = rules.map(({ name }) => name);
  args.push(cost, now);
  for (const rule of rules) args.push(rule.limit, widthOf(rule), spanOf(rule));
  return args;
}

function verdictIn(rules: readonly Rule[], answer: unknown): Verdict {
  const numbers: unknown[] = Array.isArray(answer) ? answer : [];
  const tallies: Tally[] = rules.map((_, at) => ({
    used: Number(numbers[3 * at + 1]),
    resetMs: Number(numbers[3 * at + 2]),
    waitMs: Number(numbers[3 * at + 3]),
  }));
  return verdictOf(numbers[0] === 1, tallies);
}

/** A server that evicts forgets counters under pressure: it works, but limits may be exceeded. */
function evictionIn(memory: string): string | null {
  const most = /^maxmemory:(\d+)/m.exec(memory)?.[1] ?? '0';
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
  return most === '0' || policy === 'noeviction' ? null : `maxmemory-policy is ${policy}`;
}
