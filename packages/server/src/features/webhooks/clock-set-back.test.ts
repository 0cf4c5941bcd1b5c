// Deliveries that failed while the database's clock was ahead. The clock has since been corrected.
import { deepEqual, equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';
import { until } from '@keyrail/testing/until.ts';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { deliveriesTo, endpointFor, sendAllTo, senderOf } from '@keyrail/testing/webhooks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/duration.ts';

async function scene(t: TestContext) {
  const app = await harness(t);
  const receiver = await openReceiver(t);
  const { id } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
  const only = async () => (await deliveriesTo(app.testApp, id))[0];
  const sender = senderOf(app.testApp);
  const delivered = () =>
    until(async () => {
      await sender.sendDue();
      return (await only())?.state === 'delivered';
    });
  return { app, receiver, id, only, sender, delivered };
}

for (const attempts of [1, 4]) {
  test(`a delivery that failed ${attempts} times while the clock was ahead is sent once the clock is corrected`, async (t) => {
    const { app, receiver, id, only, delivered } = await scene(t);
    receiver.behave(() => 500);
    app.clock.shift(DAY_MS);
    await app.given.tenant();
    for (let made = 0; made < attempts; made += 1) {
      await sendAllTo(app, id);
      app.clock.shift(3 * HOUR_MS);
    }
    equal((await only())?.attempts, attempts);
    app.clock.reset();
    receiver.behave(() => 204);
    await delivered();
  });
}

test('a delivery that was queued or claimed while the clock was ahead is sent once the clock is corrected', async (t) => {
  const { app, id, delivered } = await scene(t);
  app.clock.shift(DAY_MS);
  await app.given.tenant();
  await app.testApp.beyond(`update keyrail.webhook_deliveries set claim = gen_random_uuid(),
    claimed_until = keyrail.app_now() + interval '1 day' where endpoint_id = '${id}'`);
  app.clock.reset();
  await delivered();
});

test('a delivery that failed while the clock was correct waits for its next attempt', async (t) => {
  const { app, receiver, id, only, sender } = await scene(t);
  receiver.behave(() => 500);
  await app.given.tenant();
  await sendAllTo(app, id);
  app.clock.shift(8 * SECOND_MS);
  await sendAllTo(app, id);
  receiver.behave(() => 204);
  app.clock.shift(4 * MINUTE_MS);
  await sender.sendDue();
  await sender.stop();
  deepEqual([(await only())?.state, receiver.received.length], ['pending', 2]);
  app.clock.shift(2 * MINUTE_MS);
  const other = senderOf(app.testApp);
  await until(async () => {
    await other.sendDue();
    return (await only())?.state === 'delivered';
  });
});
