// The ear that hears other programs' calls: it comes back when its connection dies, and leaves no
// connection behind.
import { equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresCopyFor } from '../../../../tests/template.ts';
import { listenTo } from './listener.ts';

const superuserUrl = process.env.KEYRAIL_TEST_POSTGRES;
const skip = superuserUrl === undefined && 'it listens to PostgreSQL';
const CHANNEL = 'kr_test';

async function open(t: TestContext) {
  const { url, admin } = await postgresCopyFor(t, superuserUrl ?? '');
  const ears = async (): Promise<number> => {
    const { rows } = await admin.query(`select count(*)::int as open from pg_stat_activity
      where datname = current_database() and application_name = 'keyrail-listener'`);
    return rows[0].open;
  };
  return { url, admin, ears };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await isSo()); waited += 20) {
    ok(waited < 5000, 'it never came to be');
    await sleep(20);
  }
}

test('an ear hears again after its connection was cut', { skip }, async (t) => {
  const { url, admin, ears } = await open(t);
  const heard: string[] = [];
  let [faults, openings] = [0, 0];
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
  ok(faults > 0, 'the loss was told');
  equal(openings, 2, 'and so was the end of it');
  equal(await ears(), 1);
  await listening.close();
  await until(async () => (await ears()) === 0);
});

test('an ear that is refused leaves no connection open', { skip }, async (t) => {
  const { url, ears } = await open(t);
  let faults = 0;
  // A channel without a name is refused once the connection stands.
  const listening = listenTo(url, {
    channel: '',
    heard: () => {},
    onFault: () => {
      faults += 1;
    },
  });
  await until(() => faults >= 3);
  ok((await ears()) <= 1, 'one at a time');
  await listening.close();
  await until(async () => (await ears()) === 0);
});

test('an ear may be closed before it ever heard', { skip }, async (t) => {
  const { url, ears } = await open(t);
  const ear = { channel: CHANNEL, heard: () => {}, onFault: () => {} };
  await listenTo(url, ear).close();
  await until(async () => (await ears()) === 0);
  await listenTo('postgres://keyrail@127.0.0.1:1/nothing', ear).close();
});
