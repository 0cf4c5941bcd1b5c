// The daily mail about live keys that end soon.
import { deepEqual, equal, ok } from 'node:assert/strict';
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

test('owners get one mail a day about live keys that end within 14 days', async (t) => {
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
  ok(text?.includes('end within 14 days: 1.'), text);
  ok(text?.includes(`${soon.display_prefix}… ends ${soon.expires_at}`), text);
  deepEqual(more, [], 'a run that is repeated on the same day queues nothing');
  deepEqual(await digests(app, admin.email), []);
  app.clock.shift(DAY_MS + DAY_MS / 8);
  await run(app);
  const next = await digests(app, owner.email);
  equal(next.length, 2);
  ok(next.some((each) => each.includes('end within 14 days: 2.')));
});

test('a mail names the first keys and counts the rest', async (t) => {
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
  equal(text?.match(/… ends /g)?.length, 20);
  ok(text?.includes('end within 14 days: 22.') && text.includes('and 2 more.'), text);
});
