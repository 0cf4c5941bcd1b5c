// Signing keys: published before they are used, kept until their last token has expired, and the
// same in every process.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { embedded, headersOf } from '@keyrail/testing/embed.ts';
import { callerWith, harness, refused } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import type { TestApp } from '@keyrail/testing/test-app.ts';
import type { App } from '../app.ts';
import { openLog } from '../base/log.ts';
import { Secret } from '../base/secret.ts';
import { rotateSigningKey, rotateSigningKeys } from './rotate-signing-key.ts';
import { isNeeded, type RotationCause, timesOf } from './rotation-schedule.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const rotate = ({ worker: { work, signing } }: App, cause: RotationCause) =>
  work((tx) => rotateSigningKey(tx, signing, { purpose: 'embed_token', cause }));

const runJob = ({ worker: { work, signing } }: App) => rotateSigningKeys(work, signing);

/** Returns the IDs of the embed token keys that an app publishes. */
const published = async (within: TestApp): Promise<string[]> =>
  (await callerWith(within, null)('GET /.well-known/jwks.json')).keys
    .filter(({ purpose }) => purpose === 'embed_token')
    .map(({ kid }) => kid);

const kidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

test('without a signing key, no key is published, and the first token creates one', async (t) => {
  const vendor = await harness(t);
  await vendor.testApp.app.worker.work((tx) =>
    tx.run({ text: 'delete from signing_keys', values: [] }),
  );
  const beside = appBeside(t, vendor.testApp, {});
  deepEqual(await published(beside), []);
  const { token, call } = await vendor.embed();
  await call('GET /v1/embed/session');
  for (const each of [vendor.testApp, beside]) deepEqual(await published(each), [kidOf(token)]);
});

test('a new key is published before it is used, and the old key stays published until its tokens expire', async (t) => {
  const vendor = await harness(t);
  const { app } = vendor.testApp;
  const first = await vendor.embed();
  const { newest, isNew } = await rotate(app, 'asked');
  ok(isNew);
  deepEqual(await published(vendor.testApp), [kidOf(first.token), newest.id]);
  equal(kidOf((await vendor.embed()).token), kidOf(first.token), 'the new key does not sign yet');
  deepEqual((await rotate(app, 'asked')).newest.id, newest.id, 'one new key at a time');

  vendor.clock.shift(10 * MINUTE_MS - 5000);
  const last = await vendor.embed();
  equal(kidOf(last.token), kidOf(first.token));
  vendor.clock.shift(7000);
  const next = await vendor.embed();
  equal(kidOf(next.token), newest.id);
  await runJob(app);
  for (const { call } of [last, next]) await call('GET /v1/embed/session');

  vendor.clock.shift(5 * MINUTE_MS - 10_000);
  await last.call('GET /v1/embed/session');
  deepEqual(await published(vendor.testApp), [kidOf(first.token), newest.id]);
  vendor.clock.shift(2 * MINUTE_MS);
  await runJob(app);
  deepEqual(await published(vendor.testApp), [newest.id]);
});

test('the worker replaces a key only when it is due', async (t) => {
  const vendor = await harness(t);
  const { app } = vendor.testApp;
  await rotate(app, 'immediately');
  const before = await published(vendor.testApp);
  vendor.clock.shift(30 * DAY_MS - MINUTE_MS);
  await runJob(app);
  deepEqual(await published(vendor.testApp), before);
  vendor.clock.shift(MINUTE_MS);
  await Promise.all([runJob(app), runJob(app), runJob(app)]);
  equal((await published(vendor.testApp)).length, 2, 'three runs create one key');
});

test('concurrent rotations create only one key, and all return it', async (t) => {
  const vendor = await harness(t);
  const apps = [vendor.testApp.app, appBeside(t, vendor.testApp, {}).app];
  for (const cause of ['first', 'asked'] as const) {
    if (cause === 'first') {
      await apps[0]?.worker.work((tx) => tx.run({ text: 'delete from signing_keys', values: [] }));
    }
    const turns = Array.from({ length: 12 }, (_, at) => apps[at % 2]);
    const made = await Promise.all(turns.map((app) => app && rotate(app, cause)));
    equal(new Set(made.map((each) => each?.newest.id)).size, 1, cause);
    equal(made.filter((each) => each?.isNew).length, 1, cause);
  }
});

test('an immediate rotation retires the old key and invalidates its tokens in every process', async (t) => {
  const vendor = await harness(t);
  const beside = appBeside(t, vendor.testApp, {});
  const { token, headers, projectId, tenantId } = await vendor.embed();
  const ask = (app: App, used: Record<string, string>) =>
    app.http.inject({ url: '/v1/embed/session', headers: used });
  for (const { app } of [vendor.testApp, beside]) equal((await ask(app, headers)).statusCode, 200);
  const { newest } = await rotate(vendor.testApp.app, 'immediately');
  for (const { app } of [vendor.testApp, beside]) {
    const answer = await ask(app, headers);
    equal(answer.statusCode, 401, 'even in a process that has cached the key');
    equal(answer.json().error.code, 'invalid_token');
  }
  const own = { project_id: projectId, tenant_id: tenantId };
  const next = await embedded(vendor, own);
  equal(kidOf(next.token), newest.id);
  await next.call('GET /v1/embed/session');
  ok(token !== next.token);
});

test('setting the clock back does not revive a key that was retired immediately', async (t) => {
  const vendor = await harness(t);
  const { headers } = await vendor.embed();
  const status = async () =>
    (await vendor.testApp.app.http.inject({ url: '/v1/embed/session', headers })).statusCode;
  equal(await status(), 200);
  const { newest } = await rotate(vendor.testApp.app, 'immediately');
  vendor.clock.shift(-HOUR_MS);
  equal(await status(), 401);
  deepEqual(await published(vendor.testApp), [newest.id]);
});

test('a private key is sealed, and cannot be read with a different master key', async (t) => {
  const vendor = await harness(t);
  const { projectId, tenantId } = await vendor.embed();
  const [row] = (
    await vendor.testApp.app.worker.work((tx) =>
      tx.run({ text: 'select * from signing_keys order by generation desc', values: [] }),
    )
  ).rows;
  const sealed = Buffer.from(row?.sealedPrivate as Buffer);
  equal(sealed.length, 1 + 12 + 16 + 43);
  const masterKey = new Secret(Buffer.alloc(32, 8).toString('base64'));
  const beside = appBeside(t, vendor.testApp, {
    masterKey,
    log: openLog('silent', process.stderr),
  });
  const wanted = { project_id: projectId, tenant_id: tenantId, env: 'live' };
  await refused(
    callerWith(beside, vendor.tokens.liveKey)('POST /v1/embed_tokens', wanted),
    500,
    'internal_error',
  );
});

test('during rotations under load, no token is rejected and every kid is published', async (t) => {
  const vendor = await harness(t);
  const short = { publishWaitMs: 1500, rotateEveryMs: 50 };
  const apps = [1, 2].map(() => appBeside(t, vendor.testApp, short));
  const { projectId, tenantId } = await vendor.embed();
  const body = { project_id: projectId, tenant_id: tenantId, env: 'live' };
  const kids = new Set<string>();
  const endsAt = performance.now() + 60_000;
  let used = 0;
  const isDone = () => (kids.size >= 3 && used >= 60) || performance.now() > endsAt;
  const anyApp = (at: number) => apps[at % apps.length] ?? vendor.testApp;

  async function tokensFrom(at: number): Promise<void> {
    while (!isDone()) {
      const minted = await callerWith(anyApp(at), vendor.tokens.liveKey)(
        'POST /v1/embed_tokens',
        body,
      );
      kids.add(minted.kid);
      for (const ahead of [1, 2]) {
        const { http } = anyApp(at + ahead).app;
        const answer = await http.inject({
          url: '/v1/embed/session',
          headers: headersOf(minted.token),
        });
        equal(answer.statusCode, 200, answer.body);
        used += 1;
      }
      const { keys } = await callerWith(anyApp(at + 1), null)('GET /.well-known/jwks.json');
      ok(
        keys.some(({ kid }) => kid === minted.kid),
        'published before use',
      );
      await sleep(20);
    }
  }
  async function rotations(): Promise<void> {
    while (!isDone()) {
      await Promise.all(apps.map(({ app }) => runJob(app)));
      await sleep(100);
    }
  }
  await Promise.all([tokensFrom(0), tokensFrom(1), rotations()]);
  ok(kids.size >= 3 && used >= 60, `${kids.size} kids, ${used} uses`);
});

const now = new Date('2026-01-01T00:00:00Z');
const at = (ms: number) => ({ signsFrom: new Date(now.getTime() + ms) });

const needs: [RotationCause, { signsFrom: Date } | null, boolean][] = [
  ['first', null, true],
  ['first', at(0), false],
  ['first', at(-99 * DAY_MS), false],
  ['due', null, true],
  ['due', at(-DAY_MS), true],
  ['due', at(-DAY_MS + 1), false],
  ['due', at(MINUTE_MS), false],
  ['asked', at(0), true],
  ['asked', at(1), false],
  ['immediately', at(1), true],
];

for (const [cause, newest, isNew] of needs) {
  const since = newest
    ? `a key that signs from ${newest.signsFrom.toISOString()}`
    : 'no existing key';
  test(`a rotation with cause "${cause}" and ${since} creates ${isNew ? 'a key' : 'nothing'}`, () => {
    equal(isNeeded(cause, newest, { now, rotateEveryMs: DAY_MS }), isNew);
  });
}

test('an old key is retired a token lifetime plus one minute after the new key starts signing', () => {
  const given = { now, isFirst: false, publishWaitMs: 600_000, purpose: 'embed_token' } as const;
  deepEqual(timesOf('due', given), {
    signsFrom: new Date(now.getTime() + 601_000),
    othersEndAt: new Date(now.getTime() + 601_000 + 300_000 + MINUTE_MS),
  });
});

test('an old policy feed key is retired a day after the new key starts signing', () => {
  const given = { now, isFirst: false, publishWaitMs: 600_000, purpose: 'policy_feed' } as const;
  deepEqual(timesOf('due', given), {
    signsFrom: new Date(now.getTime() + 601_000),
    othersEndAt: new Date(now.getTime() + 601_000 + DAY_MS),
  });
});
