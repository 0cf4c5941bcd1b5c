// Checks that arrive together are one call of the script: most of what a call costs is the call.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
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

/** Said at once, or after the client has followed the nodes' directions in vain. */
const MOVING = /^(TRYAGAIN |Too many Cluster redirections)/;

/** What the script says in place of allowed or denied, before a wait. */
const OVER_QUOTA = 2;

/** The time is the server's own where it is left empty. */
export type Check = { owner: Owner; rules: readonly Rule[]; cost: number; now: number | '' };

type Waiting = Check & PromiseWithResolvers<Verdict>;

type Parts = {
  within: ReturnType<typeof boundedBy>;
  atOnceMax: number;
  /** Told of each call how it went; makes the refusal that those who wait are given. */
  worked(): void;
  failed(fault: unknown): Error;
};

/** Each check is decided by itself, in the order in which they were asked for. */
export function openChecks(
  link: Link,
  { within, atOnceMax, worked, failed }: Parts,
): (check: Check) => Promise<Verdict> {
  let waiting: Waiting[] = [];

  function send(): void {
    const checks = waiting;
    waiting = [];
    if (checks.length === 0) return;
    within(call(link, checks)).then(
      (answer) => {
        worked();
        tellAll(checks, answer);
      },
      (fault: unknown) => {
        const refusal = failed(fault);
        for (const { reject } of checks) reject(refusal);
      },
    );
  }

  return ({ owner, rules, cost, now }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
    waiting.push({ owner, rules, cost, now, promise, resolve, reject });
    if (waiting.length >= atOnceMax) send();
    else if (waiting.length === 1) setImmediate(send);
    return promise;
  };
}

async function call(link: Link, checks: readonly Check[], isCounted = true): Promise<unknown> {
  const { keys, args } = argumentsOf(checks, isCounted);
  try {
    return await link.evalsha(HASH, keys, args);
  } catch (fault) {
    // Either way nothing was charged.
    const message = fault instanceof Error ? fault.message : '';
    // A server that was restarted or promoted does not know the script.
    if (message.startsWith('NOSCRIPT')) return link.eval(SCRIPT, keys, args);
    // A slot that moves between nodes takes no two keys of which one is missing: for this while its
    // new names are left uncounted instead of refused.
    if (MOVING.test(message) && isCounted) return call(link, checks, false);
    throw fault;
  }
}

/** Where the live names of an owner are counted. */
const countOf = ({ name }: Owner): string => `kr:names:${name}`;

/** The names first: they are the script's keys. */
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

function tellAll(checks: readonly Waiting[], answer: unknown): void {
  const numbers: unknown[] = Array.isArray(answer) ? answer : [];
  let at = 0;
  for (const { rules, resolve, reject } of checks) {
    if (numbers[at] === OVER_QUOTA) {
      reject(overQuota(Number(numbers[at + 1])));
      at += 2;
      continue;
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
    resolve(verdictOf(allowed, tallies));
  }
}
