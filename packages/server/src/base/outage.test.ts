// A persistent fault is logged when it begins, every ten minutes, and when it ends.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { createOutageLog } from './outage.ts';

const MINUTE_MS = 60_000;

type Fields = { faults?: unknown; error?: unknown };

function rig() {
  const lines: string[] = [];
  let atMs = 0;
  const line =
    (level: string) =>
    (...[fields, text]: unknown[]) => {
      const { faults = '', error = null }: Fields = Object(fields);
      const reason = error instanceof Error ? error.message : '';
      lines.push([level, text, reason, faults].filter((part) => part !== '').join(' '));
    };
  const log = { info: line('info'), warn: line('warn') };
  const outage = createOutageLog(log, { begins: 'lost', ends: 'back', nowMs: () => atMs });
  const pass = (ms: number) => {
    atMs += ms;
  };
  return { lines, outage, pass };
}

test('a persistent fault is logged once, again after ten minutes, and once more when it ends', () => {
  const { lines, outage, pass } = rig();
  outage.over();
  for (let n = 0; n < 600; n += 1) {
    outage.fault(new Error('refused'));
    pass(1000);
  }
  deepEqual(lines, ['warn lost refused']);
  outage.fault(new Error('refused'));
  outage.over();
  outage.over();
  deepEqual(lines.slice(1), ['warn lost refused 601', 'info back 601']);
  outage.fault(new Error('refused'));
  deepEqual(lines.slice(3), ['warn lost refused'], 'the next outage is logged again');
});

test('new reasons are logged too, but only the first five in an outage', () => {
  const { lines, outage, pass } = rig();
  for (let n = 0; n < 100; n += 1) {
    outage.fault(new Error(n % 2 === 0 ? 'shutting down' : 'refused'));
    pass(1000);
  }
  deepEqual(lines, ['warn lost shutting down', 'warn lost refused 2']);
  outage.over();
  lines.length = 0;
  for (let n = 0; n < 100; n += 1) outage.fault(new Error(`row ${n}`));
  deepEqual(lines.length, 5);
  pass(10 * MINUTE_MS);
  outage.fault('not an Error object');
  deepEqual(lines.length, 6);
});
