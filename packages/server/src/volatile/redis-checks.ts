// Concurrent checks share one call of the script, because most of the cost is the call itself.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { batched } from '../base/coalesce.ts';
import type { boundedBy } from './breaker.ts';
import {
  type Owner,
  overQuota,
  type Rule,
  spanOf,
  type Tally,
  type Verdict,
  verdictOf,
  widthOf,
} from './counters.ts';
import type { Link } from './redis-link.ts';

const SCRIPT = readFileSync(new URL('./check.lua', import.meta.url), 'utf8');
const HASH = createHash('sha1').update(SCRIPT).digest('hex');

/** Returned at once, or after the client has followed too many redirections. */
const MOVING = /^(TRYAGAIN |Too many Cluster redirections)/;

/** The script's answer if the owner has too many names; the wait follows. */
const OVER_QUOTA = 2;

/** An empty `now` means the server's clock. */
type Check = { owner: Owner; rules: readonly Rule[]; cost: number; now: number | '' };

type Parts = {
  within: ReturnType<typeof boundedBy>;
  atOnceMax: number;
  worked(server: string): void;
  /** Returns the error for the callers. */
  failed(server: string, fault: unknown): Error;
};

type Scripts = Pick<Link, 'evalsha' | 'eval'>;

/** Each check is decided separately, in the order of the calls to its server. */
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

async function call(link: Scripts, checks: readonly Check[], isCounted = true): Promise<unknown> {
  const { keys, args } = argumentsOf(checks, isCounted);
  try {
    return await link.evalsha(HASH, keys, args);
  } catch (fault) {
    // In the two cases below nothing was charged, so another call is safe.
    const message = fault instanceof Error ? fault.message : '';
    // A restarted or promoted server does not have the script.
    if (message.startsWith('NOSCRIPT')) return link.eval(SCRIPT, keys, args);
    // While a slot moves between nodes, it refuses several keys if one of them is missing. Until it
    // has moved, new names are not counted, so that they are not refused.
    if (MOVING.test(message) && isCounted) return call(link, checks, false);
    throw fault;
  }
}

/** The key of the count of an owner's live names. */
const countOf = ({ name }: Owner): string => `kr:names:${name}`;

/** The counter names come first, since they are the script's keys. */
function argumentsOf(
  checks: readonly Check[],
  isCounted: boolean,
): { keys: number; args: (string | number)[] } {
  const args: (string | number)[] = [];
  for (const { owner, rules } of checks) {
    if (isCounted) args.push(countOf(owner));
    for (const { name } of rules) args.push(name);
  }
  const keys = args.length;
  for (const { owner, rules, cost, now } of checks) {
    args.push(rules.length, cost, now, isCounted ? owner.namesMax : '');
    for (const rule of rules) args.push(rule.limit, widthOf(rule), spanOf(rule));
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
