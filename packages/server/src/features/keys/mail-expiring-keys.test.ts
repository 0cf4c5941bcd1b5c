// The daily email about live keys that expire soon.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { mailTo } from '@keyrail/testing/people.ts';
import { mailExpiringKeys } from './mail-expiring-keys.job.ts';

const DAY_MS = 86_400_000;

const run = ({ testApp }: Harness) => {
  const { work, webhooks } = testApp.app.worker;
  return mailExpiringKeys({ work, readIn: webhooks.readIn });
};

const inDays = ({ clock }: Harness, days: number) =>
  new Date(clock.now().getTime() + days * DAY_MS).toISOString();

async function digests(app: Harness, email: string): Promise<string[]> {
  const mails = await mailTo(app.testApp, email);
  return mails.flatMap(({ kind, text }) => (kind === 'keys_expiring' ? [text] : []));
}

test('owners get one email a day about live keys that expire within 14 days', async (t) => {
  const app = await harness(t);
  const owner = await app.people.owner();
  const admin = await app.people.admin();
  const place = { project_id: (await app.given.project()).id };
  const soon = await app.given.key({ ...place, expires_at: inDays(app, 13) });
  await app.given.key({ ...place, expires_at: inDays(app, 15) });
  await app.given.key({ ...place, env: 'test', expires_at: inDays(app, 2) });
  const revoked = await app.given.key({ ...place, expires_at: inDays(app, 2) });
  await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: revoked.id });
  await run(app);
  await Promise.all([run(app), run(app)]);
  const [text, ...more] = await digests(app, owner.email);
  match(text ?? '', /^1 live key in the workspace \S+ expires within 14 days:\n/);
  const minute = soon.expires_at?.slice(0, 16).replace('T', ' ');
  ok(text?.includes(`\n${soon.display_prefix}… expires ${minute} UTC\n`), text);
  deepEqual(more, [], 'another run on the same day queues nothing');
  deepEqual(await digests(app, admin.email), []);
  app.clock.shift(DAY_MS + DAY_MS / 8);
  await run(app);
  const next = await digests(app, owner.email);
  equal(next.length, 2);
  ok(next.some((each) => each.startsWith('2 live keys in')));
});

test('an email lists the first 20 keys, and says how many more there are', async (t) => {
  const app = await harness(t);
  const owner = await app.people.owner();
  const place = {
    project_id: (await app.given.project()).id,
    tenant_id: (await app.given.tenant()).id,
  };
  for (let n = 0; n < 22; n += 1) {
    await app.given.key({ ...place, expires_at: inDays(app, 3 + n / 10) });
  }
  await run(app);
  const [text] = await digests(app, owner.email);
  equal(text?.match(/… expires /g)?.length, 20);
  ok(text?.startsWith('22 live keys in') && text.includes('\n… and 2 more\n'), text);
});
