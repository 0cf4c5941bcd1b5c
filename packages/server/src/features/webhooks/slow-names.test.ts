// Host names whose name servers never respond affect only the workspace that uses them.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openNameServer, SILENT } from '@keyrail/testing/dns-server.ts';
import { type Harness, harness, Refusal } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { deliveriesTo, sendAllTo, senderOf } from '@keyrail/testing/webhooks.ts';

const REGISTRATIONS = 50;
const PER_WORKSPACE = 4;

const register = 'POST /v1/webhook_endpoints';
const testOf = 'POST /v1/webhook_endpoints/{id}/test';

/** The only name in this zone has a private address, so no outside host is contacted. */
const ZONE = { 'hooks.example.com': ['127.0.0.1'] };

async function besideWith(t: TestContext, app: Harness, webhookPrivate: boolean) {
  const names = await openNameServer(t, ZONE);
  const changes = { webhookPrivate, nameServers: [names.server] };
  return { names, beside: appBeside(t, app.testApp, changes) };
}

const answerOf = (error: unknown) => {
  ok(error instanceof Refusal, String(error));
  return error.answer;
};

test('50 names that cannot be resolved take up only one workspace’s lookup slots', async (t) => {
  const attacker = await harness(t);
  const victim = await harness(t);
  const { names, beside } = await besideWith(t, attacker, false);
  const asAttacker = beside.as(attacker.tokens.testKey);
  const asVictim = beside.as(victim.tokens.testKey);
  const statuses: number[] = [];
  const flood = Array.from({ length: REGISTRATIONS }, async (_, n) => {
    const input = { url: `https://n${n}${SILENT}/`, events: ['*'], env: 'test' };
    const { status, headers } = answerOf(await asAttacker(register, input).catch((e) => e));
    statuses.push(status);
    if (status === 429) equal(headers['retry-after'], '2');
  });
  await until(() => statuses.length === REGISTRATIONS - PER_WORKSPACE);
  deepEqual(new Set(statuses), new Set([429]));
  const wanted = { url: 'https://hooks.example.com/', events: ['*'], env: 'test' };
  const refusal = answerOf(await asVictim(register, wanted).catch((e) => e));
  deepEqual(
    [refusal.status, Reflect.get(Object(refusal.body.error), 'code')],
    [400, 'invalid_request'],
    'the victim gets its response from the name server',
  );
  equal(statuses.length, REGISTRATIONS - PER_WORKSPACE, 'while the silent lookups are in flight');
  const silent = new Set(names.asked.filter((question) => question.includes(SILENT)));
  equal(silent.size, 2 * PER_WORKSPACE, 'four names, each for both families');
  await Promise.all(flood);
  deepEqual(new Set(statuses), new Set([429, 400]), 'a name without a response is not registered');
  const again = { url: `https://again${SILENT}/`, events: ['*'], env: 'test' };
  equal(answerOf(await asAttacker(register, again).catch((e) => e)).status, 400);
});

test('while one workspace’s lookup slots are all taken, other workspaces’ deliveries are still sent', async (t) => {
  const attacker = await harness(t);
  const victim = await harness(t);
  const { names, beside } = await besideWith(t, attacker, true);
  const receiver = await openReceiver(t);
  const { port } = new URL(receiver.url);
  const events = ['tenant.created'];
  const silent: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    const url = `https://n${n}${SILENT}/`;
    silent.push((await attacker.as.liveKey(register, { url, events })).id);
  }
  const url = `http://hooks.example.com:${port}/`;
  const { id } = await victim.as.liveKey(register, { url, events });
  await attacker.given.tenant();
  const sender = senderOf(beside);
  t.after(() => sender.stop());
  const lookups = () => new Set(names.asked.map((question) => question.split(' ')[0])).size;
  await until(async () => {
    await sender.sendDue();
    return lookups() >= PER_WORKSPACE;
  });
  equal(lookups(), PER_WORKSPACE, 'the other deliveries of the workspace wait');
  const tested = answerOf(
    await beside
      .as(attacker.tokens.liveKey)(testOf, { id: silent[0] })
      .catch((e) => e),
  );
  equal(tested.status, 429, 'a test does not wait');
  await victim.given.tenant();
  await sendAllTo({ ...victim, testApp: beside }, id, sender);
  equal(receiver.received.length, 1);
  const states = await Promise.all(silent.map((each) => deliveriesTo(beside, each)));
  ok(
    states.flat().every(({ lastError }) => lastError === null),
    'none of the silent lookups has failed yet',
  );
});

test('a lookup stops when the caller disconnects', async (t) => {
  const app = await harness(t);
  const other = await harness(t);
  const { beside, names } = await besideWith(t, app, false);
  const base = await beside.app.http.listen({ host: '127.0.0.1', port: 0 });
  let isStaying = true;
  const wanted = (url: string) => ({ url, events: ['*'], env: 'test' });
  const staying = beside
    .as(other.tokens.testKey)(register, wanted(`https://staying${SILENT}/`))
    .catch((error) => {
      isStaying = false;
      return error;
    });
  await until(() => names.asked.length > 0);
  const leaving = new AbortController();
  const left = fetch(`${base}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${app.tokens.testKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(wanted(`https://leaving${SILENT}/`)),
    signal: leaving.signal,
  }).catch(() => null);
  await until(() => names.asked.some((question) => question.startsWith('leaving')));
  leaving.abort();
  await left;
  const call = beside.as(app.tokens.testKey);
  await until(async () => {
    const asked = Array.from({ length: PER_WORKSPACE }, () =>
      call(register, wanted('https://hooks.example.com/')).catch((error) => answerOf(error).status),
    );
    return (await Promise.all(asked)).every((status) => status === 400);
  });
  ok(isStaying, 'all slots are free before an earlier lookup has ended');
  equal(answerOf(await staying).status, 400);
});
