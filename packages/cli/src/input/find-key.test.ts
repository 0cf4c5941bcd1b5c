// Keys can be found by the start of their prefix.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Given } from '@keyrail/testing/fixtures.ts';
import { type Keyrail, parsed, setUpCli } from '../../test/harness.ts';

/** Runs a command whose arguments may contain spaces, and parses the JSON it prints. */
const jsonOf = async (keyrail: Keyrail, ...words: string[]) =>
  parsed(await keyrail([...words, '--json']));

test('a key can be found and changed by the start of its prefix', async (t) => {
  const { here: keyrail, given, as } = await setUpCli(t);
  const key = await given.key({ name: 'Back end' });
  const { display_prefix: prefix, id } = key;
  const other = await given.key({ project_id: key.project_id, env: 'test' });
  const ids = async (words: string) => (await keyrail(`${words} -q`)).stdout;
  equal(await ids(`keys list --prefix ${prefix.slice(0, 10)}`), `${id}\n`);
  equal(await ids('keys list --search BACK'), `${id}\n`);
  equal(await ids('keys list --prefix kr_test_'), `${other.id}\n`);
  equal((await jsonOf(keyrail, 'keys', 'get', prefix)).id, id);
  equal((await jsonOf(keyrail, 'keys', 'update', prefix.slice(0, 9), '--name', 'N')).name, 'N');
  equal((await keyrail(`keys usage ${prefix}`)).code, 0);
  const tenant = await as.liveKey('GET /v1/tenants/{id}', { id: key.tenant_id });
  const project = await as.liveKey('GET /v1/projects/{id}', { id: key.project_id });
  const [head = '', row = ''] = (await keyrail(`keys list --prefix ${prefix}`)).stdout.split('\n');
  match(head, /^ID +PREFIX +STATE +NAME +TENANT +PROJECT /);
  deepEqual(row.split(/ +/).slice(3, 6), ['N', tenant.external_id, project.slug]);

  const next = await jsonOf(keyrail, 'keys', 'rotate', prefix);
  equal(next.rotated_from, id);
  match((await keyrail(`keys revoke ${prefix} --yes`)).stdout, /^Revoked kr_live_/);
  const again = await keyrail(`keys revoke ${prefix} --yes`);
  equal(again.stdout.startsWith(`${prefix} was already revoked on 20`), true, again.stdout);
});

type MadeKey = Awaited<ReturnType<Given['key']>>;

/**
 * Two keys whose prefixes start with the same character. With 64 possible characters, 65 keys are
 * enough.
 */
async function twoAlike(given: Given): Promise<[MadeKey, MadeKey]> {
  const { id: project_id } = await given.project();
  const { id: tenant_id } = await given.tenant();
  const made = new Map<string, MadeKey>();
  for (;;) {
    const key = await given.key({ project_id, tenant_id });
    const start = key.key.slice(0, 'kr_live_x'.length);
    const alike = made.get(start);
    if (alike) return [alike, key];
    made.set(start, key);
  }
}

test('an ambiguous prefix changes nothing and lists the matching keys, and an unknown prefix is an error', async (t) => {
  const { here: keyrail, given, tokens } = await setUpCli(t);
  const [first, second] = await twoAlike(given);
  const start = first.display_prefix.slice(0, 'kr_live_x'.length);
  const ran = await keyrail(`keys revoke ${start} --yes`);
  equal(ran.code, 1);
  match(ran.stderr, new RegExp(`More than one key starts with ${start}:`));
  for (const { id, display_prefix } of [first, second]) {
    ok(ran.stderr.includes(`${display_prefix}  ${id}`), ran.stderr);
    equal((await jsonOf(keyrail, 'keys', 'get', id)).revoked_at, null);
  }
  const none = await keyrail('keys get kr_test_zzzzzz');
  equal(none.code, 1);
  match(none.stderr, /No key prefix starts with kr_test_zzzzzz\./);
  const { key } = first;
  const pasted = [key, key.slice(0, 20), tokens.liveKey, `--search=${key}`];
  for (const text of pasted.flatMap((one) => [
    `keys get ${one}`,
    `keys list --prefix ${one}`,
    one,
  ])) {
    const refusal = await keyrail(text);
    equal(refusal.code, 2, text);
    if (text.includes(' ')) match(refusal.stderr, /prefix/);
    equal(`${refusal.stdout}${refusal.stderr}`.includes(key.slice(0, 24)), false);
    equal(refusal.stderr.includes(tokens.liveKey), false);
  }
});
