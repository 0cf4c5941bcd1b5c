// A store whose disk fills up: reads keep working, and writes stop in stages. Rejected writes are
// reported as unavailable and leave nothing behind. Once there is space again, everything works as
// before.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '@keyrail/server/base/clock.ts';
import type { StorageState, StorageUse } from '@keyrail/server/base/storage.ts';
import type { Database, Statement } from '@keyrail/server/db/database.ts';
import { embeddedDatabase } from '@keyrail/server/db/embedded/embedded.ts';
import { isStoreFault } from '@keyrail/server/db/faults.ts';
import { openEmbeddedCopy } from '@keyrail/testing/database-copies.ts';
import { opening } from './store.ts';

let storage: StorageState = 'ok';
let db: Database;
before(async () => {
  db = await embeddedDatabase(await openEmbeddedCopy(), systemClock, {
    storage: () => storage,
  });
});
after(() => db.close());

const beat: Statement = {
  text: `insert into worker_beats (worker_id, seen_at) values (gen_random_uuid(), app_now())`,
  values: [],
};
const count: Statement = { text: 'select count(*)::int as beats from worker_beats', values: [] };

const written = (use?: StorageUse) => db.once({ ...opening('kr_worker'), storage: use }, beat);
const beats = async () => (await db.once(opening('kr_worker'), count)).rows[0]?.beats;

/** Writes two heartbeats, and calls `meanwhile` in between. */
const writtenTwice = (meanwhile: () => void) =>
  db.transaction(opening('kr_worker'), async (tx) => {
    await tx.run(beat);
    meanwhile();
    await tx.run(beat);
    return { kind: 'commit', last: [], result: () => 'done' };
  });

test('on a full disk, only reads work, and once there is space again, everything does', async () => {
  await written();
  storage = 'full';
  await rejects(written(), /disk is almost full/);
  await rejects(
    writtenTwice(() => {}),
    isStoreFault,
  );
  equal(await beats(), 1);
  storage = 'ok';
  await written();
  equal(await writtenTwice(() => {}), 'done');
  equal(await beats(), 4);
});

test('a transaction that runs out of space is rolled back', async () => {
  const before = await beats();
  const growing = writtenTwice(() => {
    storage = 'full';
  });
  await rejects(growing, isStoreFault);
  equal(await beats(), before);
  storage = 'ok';
});

test('as space runs out, non-essential writes stop first, and writes from the reserve last', async () => {
  const outcomes: Record<string, string> = {};
  for (const state of ['ok', 'low', 'full', 'out'] as const) {
    storage = state;
    equal(db.storage(), state);
    const said = [];
    for (const use of ['spare', undefined, 'reserve'] as const) {
      said.push(
        await written(use).then(
          () => 'written',
          (error) => (isStoreFault(error) ? 'refused' : `${error}`),
        ),
      );
    }
    outcomes[state] = said.join(' ');
  }
  storage = 'ok';
  deepEqual(outcomes, {
    ok: 'written written written',
    low: 'refused written written',
    full: 'refused refused written',
    out: 'refused refused refused',
  });
});
