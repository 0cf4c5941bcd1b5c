// Results on stdout, messages on stderr, and exit codes for scripts.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import {
  deadUrl,
  json,
  refusal,
  reset,
  scriptedServer,
} from '../../../client/test/scripted-server.ts';
import { home, keyrailInProcess, parsed, setUpCli } from '../../test/harness.ts';

test('a pipe receives only the secret; its details go to stderr', async (t) => {
  const { keyrail } = await setUpCli(t);
  const words = 'secret-keys create --env test --name piped';
  const plain = await keyrail(words);
  match(plain.stdout, /^krsk_test_[\w-]{51}\n$/);
  match(plain.stderr, /name +piped\n[\s\S]*shown only once/);
  equal(plain.stderr.includes(plain.stdout.trim()), false);

  const quiet = await keyrail(`${words} --quiet`);
  match(quiet.stdout, /^krsk_test_[\w-]{51}\n$/);
  equal(quiet.stderr, '');

  const whole = await keyrail(`${words} --json`);
  match(parsed(whole).key, /^krsk_test_/);
  match(whole.stderr, /shown only once/);
});

test("--json prints the API's response, or an array if the response is a list", async (t) => {
  const { keyrail, as } = await setUpCli(t);
  deepEqual(parsed(await keyrail('workspace get --json')), await as.liveKey('GET /v1/workspace'));
  const listed: unknown = parsed(await keyrail('environments list --json'));
  deepEqual(listed, (await as.liveKey('GET /v1/environments')).data);
  equal((await keyrail('projects list --json')).stdout, '[]\n');
});

test('a pipe receives untruncated columns and exact times, without colours', async (t) => {
  const { keyrail, given } = await setUpCli(t);
  const name = 'a long name that a terminal of eighty columns could not show whole';
  const tenant = await given.tenant({ name });
  const { stdout } = await keyrail('tenants list');
  equal(stdout.includes('\u001b'), false);
  ok(stdout.includes(name));
  ok(stdout.includes(tenant.created_at));
  equal((await keyrail('tenants list --no-color')).stdout, stdout);
});

test('control characters in a name are not printed to the terminal', async (t) => {
  const { here: keyrail, given } = await setUpCli(t);
  await given.tenant({ name: 'x\u001b[2J\u009b31m\u202ey' });
  for (const words of ['tenants list', 'tenants list --json']) {
    const { stdout } = await keyrail(words);
    equal(stdout.includes('\u001b') || stdout.includes('\u009b'), false);
  }
});

test('if a list is empty, a note on stderr says so', async (t) => {
  const { here: keyrail } = await setUpCli(t);
  deepEqual(await keyrail('projects list'), { code: 0, stdout: '', stderr: 'No projects.\n' });
  deepEqual(await keyrail('projects list -q'), { code: 0, stdout: '', stderr: '' });
});

test('an irreversible command needs --yes without a terminal', async (t) => {
  const { here: keyrail, given } = await setUpCli(t);
  const { id } = await given.key();
  const ran = await keyrail(`keys revoke ${id}`, { input: 'y\n' });
  equal(ran.code, 2);
  match(ran.stderr, /This can't be undone\. To confirm without a terminal, pass --yes\./);
  equal(parsed(await keyrail(`keys get ${id} --json`)).revoked_at, null);
  equal((await keyrail(`keys revoke ${id} --yes`)).code, 0);
});

test('each kind of failure has its own exit code', async (t) => {
  const { keyrail: program, here, tokens } = await setUpCli(t);
  const id = '01890c5e-7b21-7c3a-9d5e-0123456789ab';
  const at = (url: string) => ({ env: { KEYRAIL_URL: url } });
  const failing = await scriptedServer(t, [refusal(500, 'internal_error')]);
  const portal = await scriptedServer(t, [json('x', { status: 302, headers: { location: '/y' } })]);
  const table: [code: number, words: string, run?: { env: Record<string, string> }][] = [
    [0, 'status'],
    [1, `keys get ${id}`],
    [1, 'secret-keys create --env live', { env: { KEYRAIL_TOKEN: tokens.testKey } }],
    [2, ''],
    [2, 'keys'],
    [2, 'nonsense'],
    [2, 'keys list --nonsense'],
    [2, 'keys list --env prod'],
    [2, 'keys list --limit many'],
    [2, 'keys list --limit 0'],
    [2, 'keys get not-an-id'],
    [2, 'keys list --prefix 3h'],
    [2, 'keys list --prefix kr_ --search a'],
    [2, 'secret-keys create'],
    [2, 'workspace update'],
    [2, 'status', at('nowhere')],
    [2, 'workspace get', { env: { KEYRAIL_TOKEN: 'krsk_a\nb' } }],
    [3, 'status', at(await deadUrl())],
    [3, 'workspace get', at(failing.url)],
    [3, 'workspace get', at(portal.url)],
    [4, 'workspace get', { env: { KEYRAIL_TOKEN: '' } }],
    [4, 'workspace get', { env: { KEYRAIL_TOKEN: 'krsk_live_unknown' } }],
  ];
  const shipped = new Set([0, 1, 2, 3, 4]);
  for (const [code, words, run] of table) {
    const keyrail = shipped.delete(code) ? program : here;
    const ran = await keyrail(words === '' ? [] : words, run);
    equal(ran.code, code, `${words}: ${ran.stderr}`);
    if (code !== 0) equal(ran.stdout, '', words);
    if (code !== 0) match(ran.stderr, /\S/);
    equal(/\n {4}at /.test(ran.stderr), false, `${words} shows a stack`);
  }
});

test('if the server rejects a request, every problem is printed, along with the request ID', async (t) => {
  const { here: keyrail } = await setUpCli(t);
  const ran = await keyrail(['projects', 'create', '--name', 'x', '--slug', 'Not A Slug']);
  equal(ran.code, 1);
  match(ran.stderr, /^keyrail: The request body is not valid\.\n {2}slug: /);
  match(ran.stderr, /400 invalid_request, request \S+\n$/);
});

test('if a change may have gone through, the error says so; the error for a failed read does not', async (t) => {
  const { url } = await scriptedServer(t, [reset]);
  const keyrail = keyrailInProcess(await home(t), {
    KEYRAIL_URL: url,
    KEYRAIL_TOKEN: 'krsk_live_x',
  });
  const changed = await keyrail('workspace update --name x');
  equal(changed.code, 3);
  match(changed.stderr, /may have gone through/);
  const read = await keyrail('workspace get');
  equal(read.code, 3);
  equal(read.stderr.includes('may have gone through'), false);
});

test('if the server says that a failed change was not made, the error does not suggest that it may have been', async (t) => {
  const saying = (outcome: string | undefined) =>
    json({ error: { code: 'unavailable', message: 'Busy.', outcome } }, { status: 503 });
  for (const outcome of ['not_done', 'unknown', undefined]) {
    const { url } = await scriptedServer(t, [saying(outcome)]);
    const env = { KEYRAIL_URL: url, KEYRAIL_TOKEN: 'krsk_live_x' };
    const ran = await keyrailInProcess(await home(t), env)('workspace update --name x');
    equal(ran.code, 3);
    equal(ran.stderr.includes('may have gone through'), outcome !== 'not_done');
  }
});

test('if the response with a new secret is lost, the error gives the command to replace the secret', async (t) => {
  const id = '01890c5e-7b21-7c3a-9d5e-0123456789ab';
  const replay = json({ id, key_shown_once: false }, { status: 201 });
  const { url, seen } = await scriptedServer(t, [reset, replay]);
  const env = { KEYRAIL_URL: url, KEYRAIL_TOKEN: 'krsk_live_x' };
  const ran = await keyrailInProcess(await home(t), env)('secret-keys create --env live');
  deepEqual([ran.code, ran.stdout, seen.length], [1, '', 2]);
  match(ran.stderr, /The secret key was created, but the response containing it was lost\./);
  match(ran.stderr, new RegExp(`keyrail secret-keys rotate ${id}`));
});
