// Notices about expiring and unused keys: each is queued only once, even after restarts and clock
// changes.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { deliveriesTo, endpointFor, sendAllTo } from '@keyrail/testing/webhooks.ts';
import { queueNotices } from './queue-notices.job.ts';

const CLOSED = 'http://127.0.0.1:1/hook';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const run = ({ testApp }: Harness) => queueNotices(testApp.app.worker);

/**
 * Advances the clock in steps. The steps are short, because a notice that would be sent too late is
 * skipped.
 */
async function pass(app: Harness, days: number, stepDays = 1): Promise<void> {
  for (let left = days; left > 0; left -= stepDays) {
    app.clock.shift(Math.min(left, stepDays) * DAY_MS);
    await run(app);
  }
}

const inDays = ({ clock }: Harness, days: number) =>
  new Date(clock.now().getTime() + days * DAY_MS).toISOString();

/** Returns the type and number of days of each notice queued for an endpoint, sorted. */
async function noticesTo({ testApp }: Harness, endpointId: string): Promise<string[]> {
  const { work } = testApp.app.worker;
  const { rows } = await work((tx) =>
    tx.run({
      text: `select type, notice->'payload'->>'days_left' as days from webhook_deliveries
        where endpoint_id = $1`,
      values: [endpointId],
    }),
  );
  return rows
    .map(({ type, days }) => (days === null ? String(type) : `${type} ${days}`))
    .toSorted();
}

const ALL = ['api_key.expired', 'api_key.expiring 1', 'api_key.expiring 14', 'api_key.expiring 3'];
const events = ['api_key.expiring', 'api_key.expired', 'api_key.unused', 'secret_key.expiring'];

test('notices are sent 14 days, 3 days and 1 day before a key expires, and when it expires', async (t) => {
  const app = await harness(t);
  const { id } = await endpointFor(app, CLOSED, { events });
  const other = await endpointFor(app, CLOSED, { events, env: 'test' });
  await app.given.key({ expires_at: inDays(app, 16.5) });
  await app.given.key();
  await run(app);
  const seen: string[][] = [];
  for (const days of [2, 1, 10, 1, 1, 1, 1, 3]) {
    await pass(app, days, days === 10 ? 5 : 1);
    seen.push(await noticesTo(app, id));
  }
  deepEqual(seen.at(0), []);
  deepEqual(seen.at(1), ['api_key.expiring 14']);
  deepEqual(seen.at(2), ['api_key.expiring 14']);
  deepEqual(seen.at(3), ['api_key.expiring 14', 'api_key.expiring 3']);
  deepEqual(seen.at(5), ALL.slice(1));
  deepEqual(seen.at(6), ALL);
  deepEqual(seen.at(7), ALL);
  deepEqual(await noticesTo(app, other.id), [], 'a live key triggers no notice to a test endpoint');
});

test('no notice is queued twice, even with concurrent workers, or after the stored progress or the clock is set back', async (t) => {
  const app = await harness(t);
  const { id } = await endpointFor(app, CLOSED, { events });
  await app.given.key({ expires_at: inDays(app, 4.5) });
  await run(app);
  app.clock.shift(2 * DAY_MS);
  await Promise.all([run(app), run(app), run(app)]);
  deepEqual(await noticesTo(app, id), ['api_key.expiring 3']);
  await app.testApp.beyond(
    `update notice_marks set until = until - interval '5 days' where kind = 'ends'`,
  );
  await run(app);
  deepEqual(await noticesTo(app, id), ['api_key.expiring 3']);
  app.clock.shift(DAY_MS / 8 - 2 * DAY_MS); // so far back that the stored progress is ignored
  await run(app);
  await pass(app, 5);
  deepEqual(await noticesTo(app, id), [ALL[0], ALL[1], ALL[3]]);
});

test('a worker that was down sends the notices that still apply', async (t) => {
  const app = await harness(t);
  const { id } = await endpointFor(app, CLOSED, { events });
  await app.given.key({ expires_at: inDays(app, 14.5) });
  await app.given.key({ expires_at: inDays(app, 4) });
  await run(app);
  app.clock.shift(5 * DAY_MS);
  await run(app);
  deepEqual(await noticesTo(app, id), ['api_key.expired', 'api_key.expiring 14']);
});

test('no notices are sent about a revoked key; changing a key’s expiry triggers new ones', async (t) => {
  const app = await harness(t);
  const { id } = await endpointFor(app, CLOSED, { events });
  const revoked = await app.given.key({ expires_at: inDays(app, 3.5) });
  const extended = await app.given.key({ expires_at: inDays(app, 3.5) });
  await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: revoked.id });
  await run(app);
  await pass(app, 1);
  deepEqual(await noticesTo(app, id), ['api_key.expiring 3']);
  const later = { id: extended.id, expires_at: inDays(app, 4.5) };
  await app.as.liveKey('PATCH /v1/keys/{id}', later);
  await pass(app, 2);
  deepEqual(await noticesTo(app, id), ['api_key.expiring 3', 'api_key.expiring 3']);
});

test('notices about secret keys are sent to the endpoints for their environment', async (t) => {
  const app = await harness(t);
  const { id } = await endpointFor(app, CLOSED, { events, env: 'test' });
  for (const env of ['live', 'test']) {
    await app.as.liveKey('POST /v1/secret_keys', { env, expires_at: inDays(app, 1.5) });
  }
  await run(app);
  await pass(app, 3);
  deepEqual(await noticesTo(app, id), ['secret_key.expiring 1']);
});

test('a notice is sent after a key has been unused for 90 days, and again 90 days later', async (t) => {
  const app = await harness(t);
  const { id } = await endpointFor(app, CLOSED, { events });
  const never = await app.given.key();
  const once = await app.given.key();
  const disabled = await app.given.key();
  await app.as.liveKey('POST /v1/keys/{id}/disable', { id: disabled.id });
  const use = (key: typeof once) =>
    app.as.liveKey('POST /v1/ingest/batch', batchOf([eventOf(key, app.clock.now())]));
  await use(once);
  await run(app);
  const subjects = async () => {
    const { work } = app.testApp.app.worker;
    const text = `select notice->>'target_id' as id from webhook_deliveries where endpoint_id = $1`;
    const { rows } = await work((tx) => tx.run({ text, values: [id] }));
    return rows.map((row) => String(row.id)).toSorted();
  };
  app.clock.shift(60 * DAY_MS);
  await run(app);
  await use(once);
  app.clock.shift(29 * DAY_MS);
  await run(app);
  deepEqual(await subjects(), []);
  await pass(app, 3);
  deepEqual(await subjects(), [never.id], 'the other one was used since');
  app.clock.shift(58 * DAY_MS);
  await run(app);
  await pass(app, 2);
  deepEqual(await subjects(), [never.id, once.id].toSorted());
});

test('a notice gives its target and payload in the same fields as an audit log entry', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t);
  const { id } = await endpointFor(app, receiver.url, { events });
  const key = await app.given.key({ expires_at: inDays(app, 1.5) });
  await run(app);
  await pass(app, 1);
  const [queued] = await deliveriesTo(app.testApp, id);
  ok(queued);
  await sendAllTo(app, id);
  const [received] = receiver.received;
  equal(received?.id, queued.id);
  deepEqual(received?.event.data, {
    object: 'notice',
    target_type: 'api_key',
    target_id: key.id,
    payload: {
      env: 'live',
      project_id: key.project_id,
      tenant_id: key.tenant_id,
      display_prefix: key.display_prefix,
      expires_at: key.expires_at,
      days_left: 1,
    },
  });
});
