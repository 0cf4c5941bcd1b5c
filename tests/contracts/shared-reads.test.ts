// Reads that share a statement return only their own workspace's rows. They never return a state
// older than a change that was acknowledged before the read began.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@keyrail/server/db/database.ts';
import { type Caller, harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';

const CHANGES = 25;
const READERS = 24;
const ON_ITS_WAY_MS = 10;

/** Delays the results of reads, so that a change can complete before they arrive. */
const farAway = (db: Database): Database => ({
  ...db,
  once: async (opening, statement) => {
    const answer = await db.once(opening, statement);
    if (opening.role === 'kr_read') await sleep(ON_ITS_WAY_MS);
    return answer;
  },
});

/** Renames a workspace repeatedly while many readers read it. */
async function readWhileRenamed(call: Caller, label: string): Promise<number> {
  let answered = 0;
  let isOver = false;
  let reads = 0;
  const nameAt = (change: number) => `${label} ${change}`;
  const rename = async () => {
    for (let change = 1; change <= CHANGES || reads <= CHANGES; change += 1) {
      await call('PATCH /v1/workspace', { name: nameAt(change) });
      answered = change;
    }
    isOver = true;
  };
  const read = async (_: unknown, reader: number) => {
    while (!isOver) {
      await sleep(reader); // otherwise all readers would run in lockstep
      const before = answered;
      const { name } = await call('GET /v1/workspace');
      const [owner, change] = name.split(' ');
      equal(owner, label);
      ok(Number(change) >= before, `read ${name} although change ${before} had been acknowledged`);
      reads += 1;
    }
  };
  await call('PATCH /v1/workspace', { name: nameAt(0) });
  await Promise.all([rename(), ...Array.from({ length: READERS }, read)]);
  return reads;
}

test('concurrent readers see only their own workspace, and every change made before they began', async (t) => {
  const one = await harness(t);
  const other = await harness(t);
  const { as } = appBeside(t, one.testApp, { db: farAway(one.testApp.db) });
  const counts = await Promise.all([
    readWhileRenamed(as(one.tokens.liveKey), 'one'),
    readWhileRenamed(as(other.tokens.liveKey), 'other'),
  ]);
  for (const reads of counts) ok(reads > CHANGES, `only ${reads} reads`);
});
