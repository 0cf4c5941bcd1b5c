// Concurrent checks share one script call, because most of the cost is the call itself.
import { batched } from '../base/coalesce.ts';
import type { boundedBy } from './breaker.ts';
import {
  type Owner,
  overQuota,
  type Rule,
  type Tally,
  type Verdict,
  verdictOf,
} from './counters.ts';
import {
  countOf,
  isMoving,
  readScript,
  runScript,
  type ScriptCall,
  type Scripts,
  shapeOf,
} from './redis-script.ts';

const CHECK = readScript('check');

/** The script returns this, followed by the time to wait, if the owner has too many counters. */
const OVER_QUOTA = 2;

/** If `now` is empty, the server's clock is used. */
type Check = { owner: Owner; rules: readonly Rule[]; cost: number; now: number | '' };

type Parts = {
  within: ReturnType<typeof boundedBy>;
  atOnceMax: number;
  worked(server: string): void;
  /** Called when a script call has failed. Returns the error to throw to the callers. */
  failed(server: string, fault: unknown): Error;
};

/** Each check is decided separately, in the order of the calls to the same server. */
export function createChecks(
  link: Scripts,
  { within, atOnceMax, worked, failed }: Parts,
): (server: string, check: Check) => Promise<Verdict> {
  const batch = batched<Check, Verdict>({ max: atOnceMax });

  async function run(
    server: string,
    checks: readonly Check[],
  ): Promise<(Verdict | Promise<Verdict>)[]> {
    let answer: unknown;
    try {
      answer = await within(call(link, checks));
    } catch (fault) {
      throw failed(server, fault);
    }
    worked(server);
    return verdictsOf(checks, answer);
  }

  return (server, check) => batch(server, check, (checks) => run(server, checks));
}

async function call(link: Scripts, checks: readonly Check[]): Promise<unknown> {
  try {
    return await runScript(link, CHECK, argumentsOf(checks, true));
  } catch (fault) {
    // Nothing was charged, so calling again is safe. Until the slot has moved, new counters don't
    // count towards the owner's maximum, so no check is rejected for exceeding it.
    if (isMoving(fault)) return runScript(link, CHECK, argumentsOf(checks, false));
    throw fault;
  }
}

/** Counter names come first, because they are the script's keys. */
function argumentsOf(checks: readonly Check[], isCounted: boolean): ScriptCall {
  const args: (string | number)[] = [];
  for (const { owner, rules } of checks) {
    if (isCounted) args.push(countOf(owner));
    for (const { name } of rules) args.push(name);
  }
  const keys = args.length;
  for (const { owner, rules, cost, now } of checks) {
    args.push(rules.length, cost, now, isCounted ? owner.namesMax : '');
    for (const rule of rules) args.push(...shapeOf(rule));
  }
  return { keys, args };
}

function verdictsOf(checks: readonly Check[], answer: unknown): (Verdict | Promise<Verdict>)[] {
  const numbers: unknown[] = Array.isArray(answer) ? answer : [];
  let at = 0;
  return checks.map(({ rules }) => {
    if (numbers[at] === OVER_QUOTA) {
      const refusal = overQuota(Number(numbers[at + 1]));
      at += 2;
      return Promise.reject(refusal);
    }
    const allowed = numbers[at] === 1;
    const tallies: Tally[] = [];
    for (let rule = 0; rule < rules.length; rule += 1) {
      tallies.push({
        used: Number(numbers[at + 1]),
        resetMs: Number(numbers[at + 2]),
        waitMs: Number(numbers[at + 3]),
      });
      at += 3;
    }
    at += 1;
    return verdictOf(allowed, tallies);
  });
}
