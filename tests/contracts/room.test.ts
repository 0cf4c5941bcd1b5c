// A store whose disk is nearly full: what reads goes on, what writes is refused as unavailable and
// leaves nothing, and when there is room again all is as before.
import { equal, rejects } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../packages/server/src/base/clock.ts';
import type { Database, Statement } from '../../packages/server/src/db/database.ts';
import { embeddedDatabase } from '../../packages/server/src/db/embedded.ts';
import { isStoreFault } from '../../packages/server/src/db/faults.ts';
import { openEmbeddedCopy } from '../template.ts';
import { opening } from './store.ts';

let isShort = false;
let db: Database;
before(async () => {
  db = await embeddedDatabase(await openEmbeddedCopy(), systemClock, {
    isShortOfRoom: () => isShort,
  });
});
after(() => db.close());

const beat: Statement = {
  text: `insert into worker_beats (worker_id, seen_at) values (gen_random_uuid(), app_now())`,
  values: [],
};
const count: Statement = { text: 'select count(*)::int as beats from worker_beats', values: [] };

const written = () => db.once(opening('kr_worker'), beat);
const beats = async () => (await db.once(opening('kr_worker'), count)).rows[0]?.beats;

/** Two beats, with something in between. */
const writtenTwice = (meanwhile: () => void) =>
  db.transaction(opening('kr_worker'), async (tx) => {
    await tx.run(beat);
    meanwhile();
    await tx.run(beat);
    return { kind: 'commit', last: [], result: () => 'done' };
  });

test('without room only reading goes on, and with room everything', async () => {
  await written();
  isShort = true;
  await rejects(written(), /disk is nearly full/);
  await rejects(
    writtenTwice(() => {}),
    isStoreFault,
  );
  equal(await beats(), 1);
  isShort = false;
  await written();
  equal(await writtenTwice(() => {}), 'done');
  equal(await beats(), 4);
});

test('a transaction that uses up the room is undone', async () => {
  const before = await beats();
  const growing = writtenTwice(() => {
    isShort = true;
  });
  await rejects(growing, isStoreFault);
  equal(await beats(), before);
  isShort = false;
});
