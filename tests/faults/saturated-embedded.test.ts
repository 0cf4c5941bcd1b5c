// The embedded store has only one connection, so /readyz waits for the transaction that holds it.
import { test } from 'node:test';
import { assertSaturationIsTold } from './saturation.ts';

const WAITING_MAX = 200;

// The application reads this setting when it is loaded.
process.env.KEYRAIL_TEST_STORE = 'embedded';
const { BOOTSTRAP_TOKEN: bootstrapToken, testApp } = await import('@keyrail/testing/test-app.ts');

test('a blocked embedded store is reported in time and recovers immediately', async (t) => {
  const readyMs = await assertSaturationIsTold({
    testApp: await testApp(),
    bootstrapToken,
    connections: 1,
    waitingMax: WAITING_MAX,
  });
  t.diagnostic(`/readyz failed after ${Math.round(readyMs)} ms`);
});
