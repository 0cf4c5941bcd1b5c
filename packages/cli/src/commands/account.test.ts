// Login, logout, the profile file, and where credentials are sent.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD } from '@keyrail/testing/people.ts';
import { json, scriptedServer } from '../../../client/test/scripted-server.ts';
import { keyrailInProcess, keyrailProcess, parsed, setUpCli } from '../../test/harness.ts';

const KEY = `krsk_live_${'A'.repeat(51)}`;

const fileIn = (home: string) => join(home, '.config', 'keyrail', 'profiles.json');
const read = async (home: string) => JSON.parse(await readFile(fileIn(home), 'utf8'));

test('login saves a session for other commands to use, and logout revokes it', async (t) => {
  const { people, url, home } = await setUpCli(t);
  const { email } = await people.owner();
  const keyrail = keyrailProcess(home, { KEYRAIL_URL: url });

  const login = await keyrail(`login --email ${email}`, { input: `${PASSWORD}\n` });
  equal(login.code, 0, login.stderr);
  match(login.stdout, /^Logged in at .* as .*, in the workspace Acme/);
  const { token } = (await read(home)).profiles.default;
  match(token, /^krses_/);
  equal(`${login.stdout}${login.stderr}`.includes(token), false);

  const who = parsed(await keyrail('whoami --json'));
  deepEqual([who.as, who.role], [email, 'owner']);
  equal(parsed(await keyrail('workspace get --json')).object, 'workspace');

  equal((await keyrail('logout')).code, 0);
  deepEqual((await read(home)).profiles, {});
  const late = await keyrail('workspace get', { env: { KEYRAIL_TOKEN: token } });
  equal(late.code, 4, 'the session has been ended on the server');
});

test('a wrong password is rejected and nothing is saved', async (t) => {
  const { people, url, home } = await setUpCli(t);
  const { email } = await people.member();
  const keyrail = keyrailInProcess(home, { KEYRAIL_URL: url });
  const ran = await keyrail(`login --email ${email}`, { input: 'wrong password\n' });
  equal(ran.code, 1);
  match(ran.stderr, /Invalid e-mail address or password\./);
  await stat(fileIn(home)).then(
    () => ok(false, 'a file was written'),
    () => {},
  );
});

test("if a secret is missing or the server can't be reached, the error suggests what to do next", async (t) => {
  const { url, home } = await setUpCli(t);
  const keyrail = keyrailInProcess(home, { KEYRAIL_URL: url });
  const mute = await keyrail('login --email ada@example.com');
  equal(mute.code, 2);
  match(mute.stderr, /No password given\.\n.*first line of stdin/);
  match((await keyrail('login --key')).stderr, /No secret key given\./);
  const lost = await keyrail('login --key --url http://127.0.0.1:2', { input: KEY });
  equal(lost.code, 3);
  match(lost.stderr, /Cannot reach http:\/\/127\.0\.0\.1:2.*\n.*--url/);
});

test('a secret key is saved in a file that only its owner can read', async (t) => {
  const { url, home, tokens } = await setUpCli(t);
  const keyrail = keyrailProcess(home, { KEYRAIL_URL: url });
  const ran = await keyrail('login --key', { input: `${tokens.liveKey}\n` });
  equal(ran.code, 0, ran.stderr);
  equal(`${ran.stdout}${ran.stderr}`.includes(tokens.liveKey), false);
  equal((await stat(fileIn(home))).mode & 0o777, 0o600);
  equal((await stat(join(home, '.config', 'keyrail'))).mode & 0o777, 0o700);
  const alone = keyrailProcess(home, {});
  equal((await alone('workspace get --quiet')).code, 0, 'the URL is saved with it');
  match((await alone('logout')).stdout, /Logged out/);
});

test('`login --key` rejects anything that is not a secret key, without sending it', async (t) => {
  const { url, home } = await setUpCli(t);
  const keyrail = keyrailInProcess(home, { KEYRAIL_URL: url });
  for (const input of ['', 'kr_live_customer\n', 'hunter2\n']) {
    const ran = await keyrail('login --key', { input });
    equal(ran.code, 2);
    equal(ran.stderr.includes('hunter2'), false);
  }
  const bad = await keyrail('login --key', { input: `krsk_live_${'x'.repeat(51)}\n` });
  equal(bad.code, 4);
  match(bad.stderr, /^keyrail: The server rejected this secret key\.\n/);
});

test('a profile file that other users can read is rejected', async (t) => {
  const { url, home, tokens } = await setUpCli(t);
  const keyrail = keyrailInProcess(home, { KEYRAIL_URL: url });
  await keyrail('login --key', { input: tokens.liveKey });
  await chmod(fileIn(home), 0o644);
  const ran = await keyrail('workspace get');
  equal(ran.code, 2);
  match(ran.stderr, /other users can read it \(mode 644\)[\s\S]*chmod 600/);
});

test('a damaged profile file causes an error and is not overwritten', async (t) => {
  const { home, tokens } = await setUpCli(t);
  await mkdir(join(home, '.config', 'keyrail'), { recursive: true });
  await writeFile(fileIn(home), '{"profiles"', { mode: 0o600 });
  const ran = await keyrailInProcess(home, {})('login --key', { input: tokens.liveKey });
  equal(ran.code, 2);
  match(ran.stderr, /is damaged/);
  equal(await readFile(fileIn(home), 'utf8'), '{"profiles"');
});

test('one machine can have several profiles, and each command can choose one', async (t) => {
  const { url, home, tokens } = await setUpCli(t);
  const xdg = join(home, 'elsewhere');
  const keyrail = keyrailInProcess(home, { XDG_CONFIG_HOME: xdg });
  await keyrail(`login --key --url ${url}`, { input: tokens.liveKey });
  const second = await keyrail(`login --key --url ${url}/ --profile ci`, { input: tokens.testKey });
  match(second.stderr, /profiles use ci/);
  ok(await stat(join(xdg, 'keyrail', 'profiles.json')));

  const asOf = async (words: string, env = {}) =>
    parsed(await keyrail(`whoami --json${words}`, { env })).as;
  match(await asOf(''), /krsk_live_/);
  match(await asOf(' --profile ci'), /krsk_test_/);
  match(await asOf('', { KEYRAIL_PROFILE: 'ci' }), /krsk_test_/);
  match(await asOf('', { KEYRAIL_TOKEN: tokens.testKey }), /krsk_test_/);
  match(await asOf(' --profile default', { KEYRAIL_TOKEN: tokens.testKey }), /krsk_live_/);
  equal((await keyrail('profiles use ci')).code, 0);
  match(await asOf(''), /krsk_test_/);
  const rows = parsed(await keyrail('profiles list --json'));
  equal(JSON.stringify(rows).includes('krsk_'), false, 'a list shows no credential');
  equal((await keyrail('profiles remove ci')).code, 0);
  equal((await keyrail('whoami --profile ci')).code, 4);
  equal((await keyrail('profiles use nothing')).code, 2);
  equal((await keyrail('whoami --profile ../up')).code, 2);
});

test("a profile's credential is only sent to that profile's URL", async (t) => {
  const { url, home, tokens } = await setUpCli(t);
  const other = await scriptedServer(t, [json({ object: 'workspace' })]);
  const keyrail = keyrailInProcess(home, {});
  await keyrail(`login --key --url ${url}`, { input: tokens.liveKey });
  for (const [words, env] of [
    [`workspace get --url ${other.url}`, {}],
    ['workspace get', { KEYRAIL_URL: other.url }],
  ] as const) {
    const ran = await keyrail(words, { env });
    equal(ran.code, 4);
    match(ran.stderr, /is logged in at/);
  }
  equal(other.seen.length, 0);
});

test('logging in without TLS prints a warning, which does not contain the credential', async (t) => {
  const { home } = await setUpCli(t);
  const ran = await keyrailInProcess(home, {})('login --key --url http://keys.invalid', {
    input: 'krsk_live_hidden\n',
  });
  equal(ran.code, 3);
  match(ran.stderr, /doesn't use TLS/);
  equal(ran.stderr.includes('hidden'), false);
});
