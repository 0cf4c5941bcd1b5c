// The embedded store has one connection: a transaction that holds it is what /readyz waits for.
import { test } from 'node:test';
import { assertSaturationIsTold } from './saturation.ts';

const WAITING_MAX = 200;

// The world takes the store from the environment when it is loaded.
process.env.KEYRAIL_TEST_STORE = 'embedded';
const { world } = await import('../world.ts');

test('an embedded store that is held is told in time, and let go of at once', async (t) => {
  const bounds = { connections: 1, waitingMax: WAITING_MAX };
  const { readyMs } = await assertSaturationIsTold(await world(), bounds);
  t.diagnostic(`/readyz said no after ${Math.round(readyMs)} ms`);
});
