// The listener for notifications from other processes: it reconnects when its connection dies, and
// leaves no connection open.

import { equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { postgresCopyFor } from '@keyrail/testing/database-copies.ts';
import { until } from '@keyrail/testing/until.ts';
import { listenTo } from './listener.ts';

const superuserUrl = process.env.KEYRAIL_TEST_POSTGRES;
const skip = superuserUrl === undefined && 'needs PostgreSQL';
const CHANNEL = 'kr_test';

async function open(t: TestContext) {
  const { url, admin } = await postgresCopyFor(t, superuserUrl ?? '');
  const connections = async (): Promise<number> => {
    const { rows } = await admin.query(`select count(*)::int as open from pg_stat_activity
      where datname = current_database() and application_name = 'keyrail-listener'`);
    return rows[0].open;
  };
  return { url, admin, connections };
}

test('a listener receives notifications after a reconnect', { skip }, async (t) => {
  const { url, admin, connections } = await open(t);
  const heard: string[] = [];
  let faults = 0;
  let openings = 0;
  const listening = listenTo(url, {
    channel: CHANNEL,
    heard: (message) => heard.push(message),
    onFault: () => {
      faults += 1;
    },
    onOpen: () => {
      openings += 1;
    },
  });
  const isHeard = (message: string) => async () => {
    await admin.query('select pg_notify($1, $2)', [CHANNEL, message]);
    return heard.includes(message);
  };
  await until(isHeard('first'));
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'keyrail-listener'`);
  await until(isHeard('second'));
  ok(faults > 0, 'the loss was reported');
  equal(openings, 2, 'the reconnect was reported');
  equal(await connections(), 1);
  await listening.close();
  await until(async () => (await connections()) === 0);
});

test('if LISTEN fails, the listener leaves no connection open', { skip }, async (t) => {
  const { url, connections } = await open(t);
  let faults = 0;
  // LISTEN fails for a channel without a name, but only after the connection has been opened.
  const listening = listenTo(url, {
    channel: '',
    heard: () => {},
    onFault: () => {
      faults += 1;
    },
  });
  await until(() => faults >= 3);
  ok((await connections()) <= 1, 'one at a time');
  await listening.close();
  await until(async () => (await connections()) === 0);
});

test('a listener can be closed before it is connected', { skip }, async (t) => {
  const { url, connections } = await open(t);
  const listener = { channel: CHANNEL, heard: () => {}, onFault: () => {} };
  await listenTo(url, listener).close();
  await until(async () => (await connections()) === 0);
  await listenTo('postgres://keyrail@127.0.0.1:1/nothing', listener).close();
});
