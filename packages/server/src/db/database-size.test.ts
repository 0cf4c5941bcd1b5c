// How the storage state is derived from a PostgreSQL server's responses.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '@keyrail/testing/test-app.ts';
import { deadlineAfter } from '../base/deadline.ts';
import type { Opening } from './database.ts';
import { createSizeGauge } from './database-size.ts';
import { withDiskReserve } from './disk-space.ts';

const never = async () => {};
const said = (bytes: number, isReadOnly = false) => ({ rows: [{ bytes, isReadOnly }], count: 1 });

test('storage is ok below 90% of the maximum database size, low from 90%, and full from 95%', () => {
  const gauge = createSizeGauge(1000, never);
  const states = [0, 899, 900, 949, 950, 2000, 899].map((bytes) => {
    gauge.seen(said(bytes));
    return gauge.state();
  });
  deepEqual(states, ['ok', 'ok', 'low', 'low', 'full', 'full', 'ok']);
});

test('without a maximum, the size is ignored, but a read-only server counts as low', () => {
  const gauge = createSizeGauge(null, never);
  gauge.seen(said(1e15));
  equal(gauge.state(), 'ok');
  gauge.seen(said(0, true));
  equal(gauge.state(), 'low');
  gauge.seen(said(0));
  equal(gauge.state(), 'ok');
});

test('many writes in a row cause the size to be read only once', () => {
  let looks = 0;
  const gauge = createSizeGauge(1000, async () => {
    looks += 1;
  });
  for (let write = 0; write < 100; write += 1) gauge.state();
  equal(looks, 1);
});

test('after the server reports a full disk, only writes that may use the reserve are allowed for a while', async () => {
  const { db } = await testApp();
  const gauge = createSizeGauge(null, never);
  const guarded = withDiskReserve(db, gauge);
  const opening = (storage?: 'reserve'): Opening => ({
    role: 'kr_worker',
    scope: { workspaceId: null, envs: [] },
    deadline: deadlineAfter(10_000),
    storage,
  });
  const text = `do $$ begin raise exception 'no space left' using errcode = '53100'; end $$`;
  await rejects(guarded.once(opening(), { text, values: [] }), /no space left/);
  equal(guarded.storage(), 'full');
  const beat = {
    text: 'insert into worker_beats (worker_id, seen_at) values (gen_random_uuid(), app_now())',
    values: [],
  };
  await rejects(guarded.once(opening(), beat), /almost full/);
  equal((await guarded.once(opening('reserve'), beat)).count, 1);
});
