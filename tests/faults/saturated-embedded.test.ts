// The embedded store has one connection: a transaction that holds it is what /readyz waits for.
import { test } from 'node:test';
import { assertSaturationIsTold } from './saturation.ts';

const WAITING_MAX = 200;

// The world takes the store from the environment when it is loaded.
process.env.KEYRAIL_TEST_STORE = 'embedded';
const { BOOTSTRAP_TOKEN: bootstrapToken, world } = await import('../world.ts');

test('an embedded store that is held is told in time, and let go of at once', async (t) => {
  const readyMs = await assertSaturationIsTold({
    world: await world(),
    bootstrapToken,
    connections: 1,
    waitingMax: WAITING_MAX,
  });
  t.diagnostic(`/readyz said no after ${Math.round(readyMs)} ms`);
});
