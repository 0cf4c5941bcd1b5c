// I15, I16, I19 and I24: idempotency, rate limits, usage, and the telemetry budget.
import {
  type Check,
  Findings,
  groupsOf,
  isOk,
  mayBeDone,
  type Op,
  opsOf,
  type Span,
  textOf,
} from '../history.ts';

const LOCK_MS = 30_000;
/**
 * The tolerance for the difference between two clocks: locks expire by the database's clock, but
 * times are recorded by the soak's own clock.
 */
const CLOCK_MS = 50;
const MINUTE_MS = 60_000;

export const I15: Check = (history) => {
  const found = new Findings();
  const kinds = ['scope.claim', 'scope.complete', 'scope.release'];
  const scopes = groupsOf(opsOf(history, ...kinds), ({ args }) => String(args.scope));
  for (const [scope, ops] of scopes) {
    const executes = ops
      .filter((op) => isOk(op) && op.body.state === 'execute')
      .toSorted((a, b) => a.t0 - b.t0);
    for (const [at, later] of executes.entries()) {
      for (const earlier of executes.slice(0, at)) {
        found.expect(
          mayFollow(ops, earlier, later),
          () => `${scope} was executed twice under one lock`,
        );
      }
    }
    checkStored(scope, ops, found);
  }
  return found;
};

/**
 * Whether the lock of the earlier execution may have been released or may have expired before the
 * later execution began.
 */
function mayFollow(ops: readonly Op[], earlier: Op, later: Op): boolean {
  const lock = textOf(earlier.body, 'lock_token');
  const isReleased = ops.some(
    (op) =>
      op.kind === 'scope.release' && op.args.lock === lock && mayBeDone(op) && op.t0 < later.t1,
  );
  return isReleased || later.t1 - earlier.t0 >= LOCK_MS - CLOCK_MS;
}

function checkStored(scope: string, ops: readonly Op[], found: Findings): void {
  const stored = ops.filter(
    (op) => op.kind === 'scope.complete' && isOk(op) && op.body.outcome === 'ok',
  );
  if (stored.length === 0) return;
  const answers = new Set(stored.map(({ args }) => args.answer));
  found.expect(answers.size === 1, () => `${scope} has ${answers.size} stored responses`);
  // While the disk is nearly full, the server stores only the status of a response, and reports
  // that in `body_stored`.
  const isBodyStored = stored.every(({ body }) => body.body_stored === true);
  const kept = isBodyStored ? [...answers][0] : null;
  const since = Math.min(...stored.map(({ t1 }) => t1));
  for (const claim of ops) {
    if (claim.kind !== 'scope.claim' || !isOk(claim) || claim.t0 < since) continue;
    const isForeign = claim.args.isForeign === true;
    const isRight = isForeign
      ? claim.body.state === 'mismatch'
      : claim.body.state === 'replay' && Object(claim.body.response).body === kept;
    found.expect(isRight, () => {
      const facts = { stored, claim, all: ops.length };
      return `a claim of the stored ${scope} returned ${claim.body.state}: ${JSON.stringify(facts)}`;
    });
  }
}

export const I16: Check = (history) => {
  const found = new Findings();
  const checks = opsOf(history, 'limit.check').filter(isOk);
  for (const [counter, each] of groupsOf(checks, ({ args }) => String(args.counter))) {
    const admitted = each
      .filter(({ body }) => body.allowed === true)
      .toSorted((a, b) => a.t0 - b.t0);
    const limit = Number(each[0]?.args.limit);
    const windowMs = Number(each[0]?.args.window);
    for (const [at, first] of admitted.entries()) {
      const window = { t0: first.t0, t1: first.t0 + windowMs };
      if (history.losses.some((loss) => overlaps(loss, window))) continue;
      const inside = admitted.slice(at).filter(({ t1 }) => t1 <= window.t1).length;
      found.expect(
        inside <= limit,
        () => `${counter} allowed ${inside} of ${limit} within ${windowMs} ms`,
      );
    }
  }
  return found;
};

const overlaps = (a: Span, b: Span): boolean => a.t0 <= b.t1 && b.t0 <= a.t1;

export const I19: Check = (history) => {
  const found = new Findings();
  const batches = groupsOf(opsOf(history, 'ingest.batch'), ({ args }) => String(args.key));
  for (const [key, each] of batches) {
    const sum = (ops: Op[]) => ops.reduce((total, { args }) => total + Number(args.events), 0);
    const sure = sum(each.filter(isOk));
    const most = sum(each.filter(mayBeDone));
    const counted = history.usage[key] ?? 0;
    found.expect(
      counted >= sure && counted <= most,
      () => `the usage of ${key} is ${counted}, but ${sure} to ${most} events were accepted`,
    );
  }
  return found;
};

/** A budget applies per calendar minute, so any 60-second span touches at most two budgets. */
export const I24: Check = (history) => {
  const found = new Findings();
  const charged = opsOf(history, 'budget.batch')
    .filter(({ status }) => status === 202 || status === 400)
    .toSorted((a, b) => a.t0 - b.t0);
  for (const [at, first] of charged.entries()) {
    const inside = charged.slice(at).filter(({ t1 }) => t1 <= first.t0 + MINUTE_MS);
    const events = inside.reduce((total, { args }) => total + Number(args.events), 0);
    const most = 2 * Number(first.args.budget);
    found.expect(events <= most, () => `${events} events were charged within a minute`);
  }
  return found;
};
