// Managing webhook endpoints, and forwarding events to this machine.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { verifyWebhook } from '@keyrail/sdk';
import { until } from '@keyrail/testing/until.ts';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { parsed, setUpCli } from '../../test/harness.ts';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

test('a webhook endpoint can be created, changed, tested, rotated and removed', async (t) => {
  const { here: keyrail } = await setUpCli(t);
  const receiver = await openReceiver(t);
  const words = ['webhooks', 'create', '--endpoint', receiver.url, '--event', 'api_key.*'];
  const created = await keyrail(words);
  match(created.stdout, /^whsec_[\w+/]+=\n$/);
  match(created.stderr, /shown only once/);
  const [id] = (await keyrail('webhooks list --quiet')).stdout.split('\n');
  const changed = parsed<{ events: string[]; env: string | null; disabled_at: string | null }>(
    await keyrail(`webhooks update ${id} --event project.created --env live --disable --json`),
  );
  deepEqual([changed.events, changed.env], [['project.created'], 'live']);
  ok(changed.disabled_at);
  match((await keyrail(`webhooks get ${id}`)).stdout, /disabled/);
  const both = await keyrail(`webhooks update ${id} --enable --env both --json`);
  equal(parsed<{ env: string | null }>(both).env, null);
  equal((await keyrail(`webhooks update ${id}`)).code, 2);
  equal((await keyrail(`webhooks update ${id} --enable --disable`)).code, 2);
  const sent = parsed<{ id: string; state: string }>(await keyrail(`webhooks test ${id} --json`));
  equal(sent.state, 'delivered');
  match((await keyrail(`webhooks deliveries ${id} --state delivered`)).stdout, /webhook\.test/);
  equal(
    parsed<{ state: string }>(await keyrail(`webhooks retry ${sent.id} --json`)).state,
    'pending',
  );
  match((await keyrail(`webhooks rotate-secret ${id} --overlap 1h --quiet`)).stdout, /^whsec_/);
  match((await keyrail(`webhooks delete ${id} --yes`)).stdout, /^Removed endpoint/);
  equal((await keyrail('webhooks list')).stdout, '');
});

test('`webhooks listen` signs events for matching changes and forwards them', async (t) => {
  const { here: keyrail, given } = await setUpCli(t);
  await given.tenant();
  const receiver = await openReceiver(t, (_, count) => (count === 1 ? 200 : 500));
  const running = keyrail(
    `webhooks listen --forward-to ${receiver.url} --event tenant.created --max 2 --json`,
    { env: { KEYRAIL_WEBHOOK_SECRET: SECRET } },
  );
  let isDone = false;
  void running.finally(() => {
    isDone = true;
  });
  // The command forwards only changes made after it started, so keep making changes until two of
  // them arrive.
  await until(async () => {
    if (isDone) return true;
    await given.project();
    await given.tenant();
    return false;
  });
  const ran = await running;
  equal(ran.code, 0, ran.stderr);
  const lines = ran.stdout.trim().split('\n');
  deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ type, status }) => [type, status]),
    [
      ['tenant.created', 200],
      ['tenant.created', 500],
    ],
  );
  match(ran.stderr, new RegExp(`Signing secret: ${SECRET.replaceAll('+', '\\+')}`));
  for (const { body, headers } of receiver.received) {
    equal(verifyWebhook(body, headers, SECRET).type, 'tenant.created');
  }
});

test('`webhooks listen` rejects invalid options', async (t) => {
  const { here: keyrail } = await setUpCli(t);
  const to = 'webhooks listen --forward-to';
  equal((await keyrail(`${to} file:///etc/passwd`)).code, 2);
  equal((await keyrail(`${to} http://127.0.0.1:1/ --event nothing.at.all`)).code, 2);
  const env = { KEYRAIL_WEBHOOK_SECRET: 'hunter2' };
  equal((await keyrail(`${to} http://127.0.0.1:1/`, { env })).code, 2);
});
