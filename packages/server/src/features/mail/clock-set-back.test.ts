// Emails that failed while the database's clock was ahead. The clock has since been corrected.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';
import { queuedFor, sendAll } from '@keyrail/testing/outbox.ts';
import { callersOf, signUp } from '@keyrail/testing/people.ts';
import { DAY_MS } from '../../base/duration.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const down = { send: () => Promise.reject(new Error('connect ECONNREFUSED')), close: () => {} };

test('an email that failed while the clock was ahead is retried once the clock is corrected', async (t) => {
  const app = await harness(t);
  app.clock.shift(DAY_MS);
  const email = await signUp(callersOf(app));
  await sendAll(app.testApp, { transport: down, log: quiet });
  app.clock.reset();
  await sendAll(app.testApp);
  const [mail] = await queuedFor(app.testApp, email);
  ok(mail?.sentAt);
});

test('an email whose worker died while the clock was ahead is sent once the clock is corrected', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  await app.testApp.beyond(`update keyrail.mail_outbox set claim = gen_random_uuid(),
    claimed_until = keyrail.app_now() + interval '1 day' where recipient = '${email}'`);
  await sendAll(app.testApp);
  ok((await queuedFor(app.testApp, email))[0]?.sentAt);
});

test('an email that failed while the clock was correct waits for its next attempt', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  await sendAll(app.testApp, { transport: down, log: quiet });
  app.clock.shift(1000);
  await sendAll(app.testApp);
  const [mail] = await queuedFor(app.testApp, email);
  deepEqual([mail?.attempts, mail?.sentAt], [1, null]);
  app.clock.shift(1500);
  await sendAll(app.testApp);
  equal((await queuedFor(app.testApp, email))[0]?.attempts, 2);
});
