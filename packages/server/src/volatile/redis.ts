// Counters in Redis, shared by all processes: one script call for each check, on the clock of the
// server. A server that does not answer within its bound is not asked for a while: until a pulse
// gets through again, checks are refused at once.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { unavailable } from '../base/errors.ts';
import {
  type Counters,
  type Rule,
  type StoreState,
  spanOf,
  type Tally,
  type Verdict,
  verdictOf,
  widthOf,
} from './counters.ts';
import { openLink } from './redis-link.ts';

const SCRIPT = readFileSync(new URL('./check.lua', import.meta.url), 'utf8');
const HASH = createHash('sha1').update(SCRIPT).digest('hex');

const ANSWER_MS_MAX = 250;
const PULSE_MS = 500;
const FAULTS_IN_A_ROW_MAX = 3;
const SILENT = 'no answer in time';

export type RedisParts = {
  url: string;
  isCluster: boolean;
  onFault(reason: string): void;
  /** For tests, which move time; in production it is the server's own. */
  nowMs?(): number;
  answerMsMax?: number;
};

export type RedisCounters = Counters & {
  check(rules: readonly Rule[], cost: number): Promise<Verdict>;
  /** Resolves when the first connection stands, or the first attempt has failed. */
  settled: Promise<void>;
};

export function openRedisCounters(parts: RedisParts): RedisCounters {
  const { url, isCluster, onFault, nowMs, answerMsMax = ANSWER_MS_MAX } = parts;
  const within = boundedBy(answerMsMax);
  const settled = Promise.withResolvers<void>();
  let [isClosed, isRefusing, faultsInARow] = [false, true, 0];
  let error: string | null = 'not connected yet';
  let remark: string | null = null;

  function note(fault: unknown): void {
    const reason = reasonOf(fault);
    if (error !== reason && !isClosed) onFault(reason);
    error = reason;
    settled.resolve();
  }

  async function pulse(): Promise<void> {
    try {
      await within(link.pulse());
      if (isRefusing) remark = evictionIn(await within(link.memory()).catch(() => ''));
      [isRefusing, faultsInARow, error] = [false, 0, null];
      settled.resolve();
    } catch (fault) {
      // One slow answer says little about a server; a refusal, or none at all, says enough.
      faultsInARow += 1;
      if (reasonOf(fault) !== SILENT || faultsInARow >= FAULTS_IN_A_ROW_MAX) isRefusing = true;
      note(fault);
    }
  }

  const link = openLink({ url, isCluster, onFault: note, onReady: () => void pulse() });
  const pulsing = setInterval(() => void pulse(), PULSE_MS);
  pulsing.unref();

  async function ask(rules: readonly Rule[], args: (string | number)[]): Promise<unknown> {
    try {
      return await link.evalsha(HASH, rules.length, args);
    } catch (fault) {
      // A server that was restarted or promoted does not know the script; nothing was charged.
      if (!/^NOSCRIPT/.test(messageOf(fault))) throw fault;
      return link.eval(SCRIPT, rules.length, args);
    }
  }

  return {
    store: 'redis',
    isSlotted: isCluster,
    settled: settled.promise,
    async check(rules, cost) {
      if (isRefusing) throw unavailable(new Error(`redis: ${error}`));
      try {
        const answer = await within(ask(rules, argumentsOf(rules, cost, nowMs?.() ?? '')));
        faultsInARow = 0;
        return verdictIn(rules, answer);
      } catch (fault) {
        faultsInARow += 1;
        if (faultsInARow >= FAULTS_IN_A_ROW_MAX) isRefusing = true;
        note(fault);
        throw unavailable(new Error(`redis: ${error}`));
      }
    },
    state: (): StoreState => ({ configured: true, ready: !isRefusing, error: error ?? remark }),
    async close() {
      isClosed = true;
      clearInterval(pulsing);
      link.close();
    },
  };
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

/** A silent server must not hold a request: whatever it says later is ignored. */
const boundedBy =
  (ms: number) =>
  <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(SILENT));
      // If it was we who were busy, the answer may be waiting to be read: it gets that chance.
      const timer = setTimeout(() => setImmediate(giveUp), ms);
      work.then(
        (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        (fault) => {
          clearTimeout(timer);
          reject(fault);
        },
      );
    });

const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : '');

/** Short, and never what the server or the address said: that may hold a secret. */
function reasonOf(fault: unknown): string {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  if (/^E[A-Z_]+$/.test(code)) return code;
  const message = messageOf(fault);
  const word = /^(?:UNKILLABLE|[A-Z]{3,20})(?= )/.exec(message)?.[0];
  if (word) return word;
  if (/isn't (writeable|ready)|Connection is closed|all nodes failed/i.test(message)) {
    return 'not connected';
  }
  return message === SILENT ? SILENT : 'failed';
}

/** A server that evicts forgets counters under pressure: it works, but limits may be exceeded. */
function evictionIn(memory: string): string | null {
  const most = /^maxmemory:(\d+)/m.exec(memory)?.[1] ?? '0';
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
  return most === '0' || policy === 'noeviction' ? null : `maxmemory-policy is ${policy}`;
}
