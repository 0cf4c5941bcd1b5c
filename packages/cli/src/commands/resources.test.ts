// The commands for every resource, run against the real server.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { readAll } from '@keyrail/testing/feed.ts';
import { servedTime } from '@keyrail/testing/served-time.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { BOOTSTRAP_TOKEN } from '@keyrail/testing/test-app.ts';
import { type Keyrail, parsed, setUpCli } from '../../test/harness.ts';

/** Runs a command whose arguments may contain spaces, and parses the JSON it prints. */
const jsonOf = async (keyrail: Keyrail, ...words: string[]) =>
  parsed(await keyrail([...words, '--json']));

test('a workspace can be created, shown and changed', async (t) => {
  const { keyrail, workspaceId, home } = await setUpCli(t);
  equal((await keyrail('workspace get --quiet')).stdout, `${workspaceId}\n`);
  const changed = await jsonOf(keyrail, 'workspace', 'update', '--name', 'Über & Söhne');
  equal(changed.name, 'Über & Söhne');

  const slug = `made-${process.pid}`;
  const env = { KEYRAIL_TOKEN: BOOTSTRAP_TOKEN };
  const made = await keyrail(`workspace create --name Made --slug ${slug} --env test --save`, {
    env,
  });
  equal(made.code, 0, made.stderr);
  match(made.stdout, /^krsk_test_[\w-]{51}\n$/);
  match(made.stderr, /shown only once/);
  const kept = await keyrail('whoami --json --profile default', { env: { HOME: home } });
  match(parsed(kept).workspace, /Made/);
});

test('a project can be identified by its slug, and a tenant by its external ID', async (t) => {
  const { here: keyrail } = await setUpCli(t);
  const slug = `pay-${process.pid}`;
  await jsonOf(
    keyrail,
    'projects',
    'create',
    '--name',
    'Pay',
    '--slug',
    slug,
    '--rate-limit',
    'm=60/1m',
  );
  await jsonOf(keyrail, 'tenants', 'create', '--external-id', 'acme/1', '--name', 'Acme Inc.');
  equal((await jsonOf(keyrail, 'projects', 'get', slug)).name, 'Pay');
  equal((await jsonOf(keyrail, 'tenants', 'get', 'acme/1')).name, 'Acme Inc.');
  equal((await jsonOf(keyrail, 'tenants', 'update', 'acme/1', '--name', '')).name, null);

  const words = ['keys', 'create', '--project', slug, '--tenant', 'acme/1', '--env', 'live'];
  const key = await jsonOf(
    keyrail,
    ...words,
    '--name',
    'Back end',
    '--scope',
    'read',
    '--expires',
    '30d',
  );
  match(key.key, /^kr_live_/);
  deepEqual(key.scopes, ['read']);
  const rotated = await jsonOf(keyrail, 'keys', 'rotate', key.id, '--overlap', '1h');
  equal(rotated.rotated_from, key.id);
  equal((await jsonOf(keyrail, 'keys', 'update', key.id, '--unlimited')).rate_limits?.length, 0);
  const revoked = await jsonOf(keyrail, 'keys', 'revoke', key.id, '--wait', '--yes');
  equal(revoked.propagation.complete, true);

  const listed = await keyrail(['keys', 'list', '--project', slug, '-q']);
  equal(listed.stdout, `${rotated.id}\n`);
  const gone = await keyrail(['tenants', 'delete', 'acme/1', '--yes']);
  match(gone.stdout, /keys revoked: 1/);
  equal((await keyrail(['tenants', 'get', 'acme/1'])).code, 1);
  equal((await jsonOf(keyrail, 'projects', 'delete', slug, '--yes')).deleted, true);
});

test('a key can be disabled and enabled, and its state is shown', async (t) => {
  const { here: keyrail, given } = await setUpCli(t);
  const { display_prefix: prefix } = await given.key();
  const off = await keyrail(['keys', 'disable', prefix, '--reason', 'unpaid', '--wait', '--yes']);
  equal(off.stdout, `Disabled ${prefix}. No nodes are connected.\n`);
  match((await keyrail(`keys list --prefix ${prefix}`)).stdout, / disabled /);
  match((await keyrail(`keys get ${prefix}`)).stdout, /^disabled +.+: unpaid$/im);
  equal((await keyrail(`keys enable ${prefix}`)).stdout, `Enabled ${prefix}.\n`);
  match((await keyrail(`keys list --prefix ${prefix}`)).stdout, / active /);
});

test('revoking a key reports how many nodes have gone silent', async (t) => {
  const held = await setUpCli(t);
  const { serve } = await servedTime(held);
  const { id, project_id } = await held.given.key();
  await readAll(held, { project_id, node: 'silent' });
  await serve(110_000);
  const revoked = await held.here(['keys', 'revoke', id, '--wait', '--yes']);
  match(revoked.stdout, /No nodes are connected/);
  match(revoked.stderr, /Silent nodes seen in the last 24 hours: 1\./);
});

test('secret keys can be created, rotated and revoked', async (t) => {
  const { here: keyrail } = await setUpCli(t);
  const made = await jsonOf(keyrail, 'secret-keys', 'create', '--env', 'test', '--name', 'ci');
  const next = await jsonOf(keyrail, 'secret-keys', 'rotate', made.id, '--overlap', '0');
  equal(next.previous_key.id, made.id);
  const ran = await keyrail(['secret-keys', 'revoke', next.id, '--yes', '--reason', 'done']);
  match(ran.stdout, /^Revoked krsk_test_[\w-]+/);
  equal((await jsonOf(keyrail, 'secret-keys', 'get', next.id)).revoked_reason, 'done');
  const again = await keyrail(['secret-keys', 'revoke', next.id, '--yes']);
  match(again.stdout, /^krsk_test_[\w-]+ was already revoked on 20\S+\.\n$/);
});

test('a dry run shows what would change without changing it', async (t) => {
  const { here: keyrail, given } = await setUpCli(t);
  const key = await given.key({ scopes: ['a', 'b'] });
  const ran = await keyrail(`tenants delete ${key.tenant_id} --dry-run`);
  equal(ran.code, 0, ran.stderr);
  match(ran.stdout, /^action +tenant\.deleted\n/);
  match(ran.stdout, /^active keys +1$/m);
  equal(ran.stdout.includes('scopes removed'), false);
  const patched = await keyrail(`keys update ${key.id} --scope b --dry-run`);
  match(patched.stdout, /^scopes removed +a$/m);
  match((await keyrail(`keys revoke ${key.id} --dry-run --json`)).stdout, /"keys": 1,/);
  const now = await jsonOf(keyrail, 'keys', 'get', key.id);
  deepEqual([now.revoked_at, now.scopes], [null, ['a', 'b']]);
  equal((await keyrail(`keys revoke ${key.tenant_id} --dry-run`)).code, 1, 'no such key');
});

test('`keys explain` reads a key from stdin or takes its ID, and rejects a full key as an argument', async (t) => {
  const { here: keyrail, given } = await setUpCli(t);
  const { id, key, display_prefix: prefix } = await given.key({ scopes: ['a'] });
  const allowed = await keyrail('keys explain', { input: `${key}\n` });
  equal(allowed.code, 0, allowed.stderr);
  match(allowed.stdout, /^known +pass +/m);
  match(allowed.stderr, new RegExp(`^${prefix} is allowed at policy version \\d+\\.$`, 'm'));
  equal(`${allowed.stdout}${allowed.stderr}`.includes(key.slice(prefix.length)), false);
  const denied = await keyrail(`keys explain --key-id ${id} --scope b`);
  match(denied.stdout, /^scopes +fail +The key is missing scopes\. Add: b\.$/m);
  match(denied.stderr, / is denied \(insufficient_scope\) /);
  equal((await keyrail('keys explain', { input: '' })).code, 2, 'no key was given');
  const leaked = await keyrail(`keys explain --key-id ${key}`);
  equal(leaked.code, 2);
  equal(`${leaked.stdout}${leaked.stderr}`.includes(key.slice(prefix.length)), false);
});

test('an embed token can be created for a registered origin', async (t) => {
  const { here: keyrail, given, as } = await setUpCli(t);
  const project = await given.project();
  const tenant = await given.tenant();
  const origin = 'https://app.customer.example';
  const words = ['--project', project.slug, '--tenant', tenant.external_id, '--env', 'test'];
  const early = await keyrail(['embed-tokens', 'create', ...words]);
  equal(early.code, 1);
  match(early.stderr, /keyrail workspace update --embed-origin https:/);
  await as.liveKey('PATCH /v1/workspace', { embed_origins: [origin, 'https://b.example'] });
  const made = await jsonOf(keyrail, 'embed-tokens', 'create', ...words, '--origin', origin);
  const token = Object(made);
  deepEqual([token.scopes, token.audience], [['keys:read'], [origin]]);
  const elsewhere = ['embed-tokens', 'create', ...words, '--origin', 'https://c.example'];
  match((await keyrail(elsewhere)).stderr, /keyrail workspace update --embed-origin https:/);
  const issued = await keyrail(['embed-tokens', 'create', ...words, '--scope', 'keys:write']);
  match(issued.stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
});

test('members can be invited, promoted and removed', async (t) => {
  const { here: keyrail, people } = await setUpCli(t);
  const { email, userId } = await people.member();
  const invited = await keyrail('invites create --email new@example.com --role member');
  match(invited.stdout, /^[\da-f-]{36}\.[\w-]{43}\n$/);
  const [invite] = parsed<{ id: string }[]>(await keyrail('invites list --json'));
  equal((await keyrail(['invites', 'revoke', invite?.id ?? '', '--yes'])).code, 0);
  equal((await jsonOf(keyrail, 'members', 'set-role', email.toUpperCase(), 'admin')).role, 'admin');
  match((await keyrail(['members', 'remove', userId, '--yes'])).stdout, /^Removed/);
  equal((await keyrail(['members', 'remove', email, '--yes'])).code, 1);
});

test('lists stop after --limit rows, and --all prints every row', async (t) => {
  const { here: keyrail, given } = await setUpCli(t);
  const project_id = (await given.project()).id;
  const tenant_id = (await given.tenant()).id;
  for (let n = 0; n < 5; n += 1) await given.key({ project_id, tenant_id });
  const ids = async (words: string) => {
    const ran = await keyrail(`keys list --project ${project_id} -q ${words}`);
    return ran.stdout.trim().split('\n').length;
  };
  deepEqual([await ids('--limit 2'), await ids('--limit 5'), await ids('--all')], [2, 5, 5]);
  const part = await keyrail(`keys list --project ${project_id} --limit 4`);
  match(part.stderr, /There are more/);
  const whole = await keyrail(`keys list --project ${project_id} --limit 5`);
  equal(whole.stderr, '');
});

test('audit entries can be listed and verified', async (t) => {
  const { here: keyrail, given, as, tokens } = await setUpCli(t);
  const rows = parsed<{ seq: number }[]>(await keyrail('audit list --limit 2 --json'));
  deepEqual(
    rows.map(({ seq }) => seq),
    [1, 2],
  );
  const key = await given.key();
  const { external_id } = await as.liveKey('GET /v1/tenants/{id}', { id: key.tenant_id });
  await as.liveKey('PATCH /v1/keys/{id}', { id: key.id, name: 'Renamed' });
  const by = tokens.liveKey.slice(0, 'krsk_live_'.length + 6);
  const last = (await keyrail('audit list --after 2')).stdout.trimEnd().split('\n');
  const shown = last.slice(1).map((line) => line.split(/ {2,}/).slice(2).join(' '));
  ok(shown.includes(`tenant.created ${by} ${external_id}`), shown.join('\n'));
  ok(shown.includes(`api_key.created ${by} ${key.display_prefix}`));
  const updated = parsed<{ seq: number }[]>(await keyrail('audit list --json')).at(-1);
  const alone = await keyrail(`audit list --after ${(updated?.seq ?? 0) - 1}`);
  match(alone.stdout, new RegExp(`api_key.updated +${by} +${key.display_prefix}\\n$`));
  const chain = parsed(await keyrail('audit verify --json'));
  equal(chain.verified, true);
  match((await keyrail('audit verify')).stdout, /^The chain is intact: /);
  match(
    (await keyrail('environments list')).stdout,
    /^NAME {2}BILLABLE\nlive {2}yes\ntest {2}no\n$/,
  );
});

test('usage can be shown by key, by month and by interval', async (t) => {
  const { here: keyrail, as, given, clock } = await setUpCli(t);
  const key = await given.key();
  const events = [eventOf(key, clock.now()), eventOf(key, clock.now(), { status: 500 })];
  await as.liveKey('POST /v1/ingest/batch', batchOf(events));
  match((await keyrail(['keys', 'usage', key.id])).stdout, /^DAY +REQUESTS +ERRORS\n\S+ +2 +1\n$/);
  match((await keyrail('usage billing')).stdout, /^MONTH +ACTIVE TENANTS\n\d{4}-\d\d +1\n$/);
  const { external_id } = await as.liveKey('GET /v1/tenants/{id}', { id: key.tenant_id });
  const { slug } = await as.liveKey('GET /v1/projects/{id}', { id: key.project_id });
  const [, row = ''] = (await keyrail('usage tenants')).stdout.split('\n');
  match(row, /^\d{4}-\d\d /);
  deepEqual(row.split(/ +/).slice(1, 3), [external_id, slug]);
  const shown = (await keyrail('usage overview')).stdout;
  match(shown, /^FROM +REQUESTS +ERRORS +DENIED +P50 MS +P90 MS +P99 MS\n.* +2 +1 +0 +1\d\./);
  equal((await keyrail('usage overview --interval week')).code, 2);
  equal((await keyrail('usage overview --project nothing')).code, 1);
});

test('the api command can send any request', async (t) => {
  const { here: keyrail } = await setUpCli(t);
  const ran = await keyrail(['api', 'PATCH', '/v1/workspace', '--body', '-'], {
    input: '{"name":"Raw"}',
  });
  equal(parsed(ran).name, 'Raw');
  equal((await keyrail('api GET /v1/nothing')).code, 1);
  equal((await keyrail('api GET v1/workspace')).code, 2);
  equal((await keyrail('api POST /v1/projects --body {')).code, 2);
  equal((await keyrail('api GET https://elsewhere.test/')).code, 2);
});
