// A fault counts as a violation if it keeps a request from being served, or if a part of the
// deployment doesn't recover from it.
import { deepEqual, match } from 'node:assert/strict';
import { test } from 'node:test';
import type { Tried } from './in-turn.ts';
import { reportOf, violationsIn } from './report.ts';
import type { Account } from './run.ts';

const fine: Tried = {
  part: 'worker',
  fault: 'killed',
  firstMs: { write: 90, read: 20, check: 1_250 },
  steadyMs: 0,
  failed: 0,
  probes: 40,
  repairedMs: 8_000,
  wholeMs: 2_000,
  story: '',
  violations: [],
};

const accountOf = (...tried: Tried[]): Account => ({
  order: { seed: 1, seconds: 1, clients: 1 },
  bed: 'ha',
  skipped: [],
  operations: {},
  serverErrors: { 503: 7 },
  faults: [],
  tried,
  recoveries: [],
  residentMiB: { before: {}, after: {} },
  verdicts: [],
});

test('a fault that disrupts nothing is reported as a table row, not as a violation', () => {
  const account = accountOf(fine);
  deepEqual(violationsIn(account), []);
  match(
    reportOf(account),
    /\| worker \| killed \| 0\.1 s \| 0\.0 s \| 1\.3 s \| none \| 0 of 40 \| 2\.0 s \|/,
  );
});

test("a fault is a violation if a request isn't served, a part doesn't recover, or an invariant is broken", () => {
  const account = accountOf(
    { ...fine, firstMs: { ...fine.firstMs, check: null } },
    { ...fine, firstMs: { ...fine.firstMs, write: 8_200 } },
    { ...fine, wholeMs: null },
    { ...fine, violations: ['I10: node-0 accepts the key k, whose revocation is complete'] },
  );
  deepEqual(violationsIn({ ...account, serverErrors: { 500: 2, 503: 7 } }), [
    '2 responses had status 500',
    'worker killed: no check was served before the repair',
    'worker killed: no write was served before the repair',
    'worker killed: not every part came back',
    'worker killed: I10: node-0 accepts the key k, whose revocation is complete',
  ]);
});
