// The doctor on a real PostgreSQL, in a deployment whose operator has neglected signing keys,
// anchors, email and backups.
import { deepEqual, equal, match } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { test } from 'node:test';
import { profiles } from '@keyrail/protocol/wire/permissions.ts';
import { signingPurposes } from '@keyrail/protocol/wire/signing-purposes.ts';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { DAY_MS } from '@keyrail/server/base/duration.ts';
import { createIdMaker } from '@keyrail/server/base/ids.ts';
import { systemRandomBytes } from '@keyrail/server/base/random.ts';
import { Secret } from '@keyrail/server/base/secret.ts';
import { openPostgres } from '@keyrail/server/db/postgres.ts';
import { openWork } from '@keyrail/server/doors/work.ts';
import { signingPartsOf } from '@keyrail/server/signing/parts.ts';
import { rotateSigningKey } from '@keyrail/server/signing/rotate-signing-key.ts';
import { listSigningKeys } from '@keyrail/server/signing/rows.ts';
import { database, diagnosed, found, messagesOf, type Settings, skip } from './doctor.ts';

test('the doctor reports signing keys that are overdue, mismatched or encrypted with a different master key', {
  skip,
}, async (t) => {
  const { settings, break: harm } = await database(t);
  const url = settings.DATABASE_URL ?? '';
  const db = openPostgres({ url, clock: systemClock, connectionsMax: 1, onIdleError: () => {} });
  t.after(() => db.close());
  const work = openWork(db, createIdMaker(systemClock, systemRandomBytes));
  const signing = signingPartsOf({
    masterKey: new Secret(settings.KEYRAIL_MASTER_KEY ?? ''),
    randomBytes: systemRandomBytes,
    rotateEveryMs: 30 * DAY_MS,
    publishWaitMs: 0,
  });
  for (const purpose of signingPurposes) {
    await work((tx) => rotateSigningKey(tx, signing, { purpose, cause: 'first' }));
  }
  const check = async (more: Settings = {}) =>
    (await diagnosed({ ...settings, ...more })).filter(
      (finding) => finding.check === 'signing keys',
    );
  deepEqual(
    (await check()).map(({ message }) => message.replace(/^Key \S+ /, '')),
    ['signs embed tokens.', 'signs audit anchors.', 'signs receipts.', 'signs the policy feed.'],
  );

  const keys: { kid: string }[] = [{ kid: randomUUID() }];
  const served = { status: 'ok', region: 'local', keys };
  const server = createHttpServer((_, answer) => answer.end(JSON.stringify(served)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const elsewhere = () =>
    diagnosed({ ...settings, KEYRAIL_PUBLIC_URL: `http://127.0.0.1:${port}` });
  equal(found(await elsewhere(), 'public url', /another deployment/).severity, 'error');
  const [own] = await work(listSigningKeys);
  keys.push({ kid: own?.id ?? randomUUID() });
  deepEqual(messagesOf(await elsewhere(), 'public url', 'error'), []);

  const other = await check({ KEYRAIL_MASTER_KEY: Buffer.alloc(32, 6).toString('base64') });
  deepEqual(
    other.map(({ severity, message }) => [severity, /a different master key/.test(message)]),
    [
      ['error', true],
      ['error', true],
      ['error', true],
      ['error', true],
    ],
  );
  match(other[0]?.remedy ?? '', /KEYRAIL_MASTER_KEY.*signing-keys rotate --now\.$/);
  match(other[1]?.remedy ?? '', /rotate --now --purpose audit_anchor/);
  match(other[2]?.remedy ?? '', /rotate --now --purpose receipt/);
  match(other[3]?.remedy ?? '', /rotate --now --purpose policy_feed/);

  await harm(`update signing_keys set signs_from = signs_from - interval '32 days'`);
  equal(
    found(await check(), 'signing keys', /embed tokens has been in use for 32 days/).severity,
    'warning',
  );
  equal((await check({ KEYRAIL_SIGNING_ROTATE_EVERY: '60d' }))[0]?.severity, 'ok');
  await harm(`update signing_keys set public_key = 'x' where purpose = 'embed_token'`);
  equal(found(await check(), 'signing keys', /do not match/).severity, 'error');
});

test('the doctor reports anchors that are late or broken, and destinations that fail', {
  skip,
}, async (t) => {
  const { settings, break: harm } = await database(t);
  const late = randomUUID();
  const broken = randomUUID();
  const head = `insert into audit_heads (workspace_id, seq, hash, occurred_at, change_id)
    values ($1, 5, repeat('a', 64), app_now() - interval '1 hour', $1)`;
  for (const id of [late, broken]) await harm(head, [id]);
  await harm(
    `insert into audit_anchors values ($1, 1, 6, repeat('b', 64), app_now(), 6, app_now(), $1, '')`,
    [broken],
  );
  await harm(`insert into audit_anchor_places values
    ('x', 'https://worm.example', 0, app_now(), app_now(), null, 'status 500')`);
  const findings = await diagnosed(settings);
  equal(found(findings, 'anchors', new RegExp(`no longer match.*${broken}`)).severity, 'error');
  equal(found(findings, 'anchors', /^1 audit chains have grown/).severity, 'warning');
  equal(found(findings, 'anchors', /https:\/\/worm\.example: status 500/).severity, 'warning');
});

test('the doctor reports a missing worker, emails that are waiting, and two API processes without Redis', {
  skip,
}, async (t) => {
  const { settings, break: harm } = await database(t);
  await harm(
    `insert into mail_outbox (id, kind, recipient, params, created_at, due_at, attempts,
      last_error)
    values ($1, 'invite', 'a@example.com', '{}', app_now() - interval '1 hour', app_now(), 3,
      'connection refused')`,
    [randomUUID()],
  );
  const span = `insert into served_spans values ($1, app_now() - interval '1 minute',
    app_now() + interval '1 minute')`;
  await harm(span, [randomUUID()]);
  const beat = (at: string) => harm(`insert into worker_beats values ($1, ${at})`, [randomUUID()]);
  // The last heartbeat of a worker that is no longer running, from before the clock was set back.
  await beat(`app_now() + interval '1 hour'`);
  const one = await diagnosed(settings);
  deepEqual(messagesOf(one, 'settings', 'error'), []);
  equal(found(one, 'worker', /^No worker has been seen/).severity, 'warning');
  equal(found(one, 'mail', /^1 emails have been waiting.*connection refused/).severity, 'warning');
  await harm(span, [randomUUID()]);
  await beat('app_now()');
  const two = await diagnosed(settings);
  equal(found(two, 'settings', /2 API processes are running without Redis/).severity, 'error');
  equal(found(two, 'worker', /A worker is running/).severity, 'ok');
});

test('the doctor names nodes whose secret key can do more than a node needs', {
  skip,
}, async (t) => {
  const { settings, break: harm } = await database(t);
  const workspace = randomUUID();
  const keyWith = async (permissions: readonly string[] | null, revokedAt: Date | null = null) => {
    const id = randomUUID();
    await harm(
      `insert into secret_keys (id, workspace_id, env, lookup_hash, display_prefix, meta,
        created_at, authority, permissions, revoked_at)
      values ($1, $2, 'live', sha256($1::uuid::text::bytea), 'krsk_live_abcdef', '{}', app_now(),
        'admin', $3, $4)`,
      [id, workspace, permissions, revokedAt],
    );
    return id;
  };
  const polled = (name: string, key: string, more: { minutesAgo?: number; replaced?: true } = {}) =>
    harm(
      `insert into policy_nodes (project_id, node_id, env_scope, workspace_id, acked_version,
        last_seen_at, node_name, secret_key_id, replaced_at)
      values ($1, $2, 'all', $1, 1, app_now() - $3 * interval '1 minute', $4, $5,
        case when $6 then app_now() end)`,
      [workspace, randomUUID(), more.minutesAgo ?? 1, name, key, more.replaced ?? false],
    );
  const check = async () => (await diagnosed(settings)).filter((each) => each.check === 'nodes');

  const unlimited = await keyWith(null);
  await polled('made for nodes', await keyWith(profiles.node));
  await polled('narrower', await keyWith(['policy:read']));
  await polled('revoked', await keyWith(null, new Date()));
  await polled('long ago', unlimited, { minutesAgo: 61 });
  await polled('restarted', unlimited, { replaced: true });
  deepEqual(
    (await check()).map(({ severity }) => severity),
    ['ok'],
  );

  await polled('b', await keyWith([...profiles.node, 'keys:read']));
  await polled('a', unlimited);
  const [two] = await check();
  equal(two?.severity, 'warning');
  match(two?.message ?? '', /: a \(krsk_live_abcdef\), b \(krsk_live_abcdef\)\.$/);
  match(two?.remedy ?? '', /secret-keys create --env live --profile node/);
  for (const name of ['c', 'd', 'e', 'f', 'g']) await polled(name, unlimited);
  match((await check())[0]?.message ?? '', /, e \(krsk_live_abcdef\) and 2 more\.$/);
});

test('the doctor reports backups that are late or have failed', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  await harm(`create table if not exists backup_runs (id uuid primary key, kind text not null,
    backup_id text, started_at timestamptz not null, ended_at timestamptz not null,
    passed boolean not null, reason text, bytes bigint)`);
  await harm(`do $$ begin
    execute format('grant select on backup_runs to %I', role_of('kr_worker')); end $$`);
  const run = (kind: string, hoursAgo: number, reason: string | null) =>
    harm(
      `insert into backup_runs (id, kind, started_at, ended_at, passed, reason)
       values ($1, $2, app_now(), app_now() - $3 * interval '1 hour', $4::text is null, $4)`,
      [randomUUID(), kind, hoursAgo, reason],
    );
  await run('backup', 100, null);
  equal(found(await diagnosed(settings), 'backups', /is 100 hours old/).severity, 'error');
  await run('backup', 2, null);
  equal(found(await diagnosed(settings), 'backups', /is 2 hours old/).severity, 'ok');
  await run('restore_test', 1, 'a chain is broken');
  await run('backup', 1, 'the disk is full');
  const findings = await diagnosed(settings);
  equal(found(findings, 'backups', /restore test failed: a chain is broken/).severity, 'error');
  equal(found(findings, 'backups', /last backup failed: the disk is full/).severity, 'error');
});
