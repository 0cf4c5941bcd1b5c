// Get started: a step is only done once the server has seen its result, and the commands in the
// dialog run unchanged.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '@keyrail/testing/ports.ts';
import { until } from '@keyrail/testing/until.ts';
import { openGround, openVendor } from '../../../test/ground.ts';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));

/** Runs a command in a shell and returns its output. Its processes are stopped after the test. */
async function run(t: TestContext, command: string): Promise<string> {
  const child = spawn('sh', ['-c', command], { cwd: root, detached: true });
  t.after(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    child.stdout.destroy();
    child.stderr.destroy();
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const [code] = await once(child, 'exit');
  equal(code, 0, output);
  // The shell has exited, but some output may not have arrived yet.
  await until(() => output.includes('}'));
  return output;
}

/**
 * Runs code as if it were a user's app, in a folder from which this repository's packages can be
 * imported.
 */
async function runCode(t: TestContext, code: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kr-first-steps-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'server.mjs'), code);
  const child = spawn(process.execPath, [join(folder, 'server.mjs')], { stdio: 'ignore' });
  t.after(async () => {
    child.kill();
    await rm(folder, { recursive: true, force: true });
  });
}

test('the guide takes a new workspace to its first verified request', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await visit(`/w/${vendor.slug}/start`);
  await page.getByRole('button', { name: 'Create test key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It won’t be shown again').waitFor();
  const key = (await dialog.locator('code').first().textContent()) ?? '';
  match(key, /^kr_test_/);
  const shown = async (hasText: string) =>
    (await dialog.getByRole('tabpanel').filter({ hasText }).textContent()) ?? '';
  const code = await shown('secretKey: ');
  await dialog.getByRole('tab', { name: 'Edge and curl' }).click();
  const edge = await shown('keyrail-edge');
  await dialog.getByRole('tab', { name: 'Example app' }).click();
  const command = await shown('npm run example');
  const secretKey = /krsk_test_[\w-]+/.exec(command)?.[0] ?? '';
  ok(command.includes(key) && secretKey !== '');
  await ground.axe(page);

  // The command contains the key, so once the command is copied, the dialog closes without asking
  // for confirmation.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await dialog.getByRole('button', { name: 'Copy Example app' }).click();
  equal(await page.evaluate('navigator.clipboard.readText()'), command);
  await page.evaluate("navigator.clipboard.writeText('')");
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await page.getByText('Waiting for a node').waitFor();
  const kept: string = await page.evaluate(
    `[document.documentElement.outerHTML, location.href, JSON.stringify([history.state,
      { ...sessionStorage }, { ...localStorage }])].join(' ')`,
  );
  ok(!kept.includes(key) && !kept.includes(secretKey), 'no secret is left in the page');

  // If the user leaves the guide and comes back, its state is the same.
  await visit(`/w/${vendor.slug}/settings`);
  await visit(`/w/${vendor.slug}/start`);
  await page.getByText('Waiting for a node').waitFor();
  const edgePort = await freePort();
  match(await run(t, edge.replaceAll('4410', String(edgePort))), /"allowed":true/);
  await page.getByText('1 node is connected.').waitFor();
  await page.getByText('Waiting for a request').or(page.getByText('First request')).waitFor();
  await page.getByText(/First request .*; median response time in the last 24 h: \d/).waitFor();
  const link = page.getByRole('link', { name: 'Open the key' });
  const { data: keys } = await vendor.as.testKey('GET /v1/keys');
  equal(await link.getAttribute('href'), `/w/${vendor.slug}/test/keys/${keys[0]?.id}`);

  // Connect two more nodes: the example from a clone, and an app that uses the SDK.
  const port = await freePort();
  match(await run(t, command.replaceAll('3000', String(port))), /"env":"test"/);
  const ownPort = await freePort();
  await runCode(t, code.replaceAll('3000', String(ownPort)));
  const call = async (at: number): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`http://127.0.0.1:${at}/invoices`, { headers }).catch(() => null);
    return response?.status ?? 0;
  };
  await until(async () => (await call(ownPort)) === 200);

  // The key is revoked, and all three nodes confirm it.
  await link.click();
  await page.getByRole('button', { name: 'Revoke test key' }).click();
  await dialog.getByText('Live nodes').waitFor();
  await dialog.getByRole('button', { name: 'Revoke test key' }).click();
  await dialog.getByText(/^Rejected everywhere after [\d,]+ ms$/).waitFor();
  equal(await dialog.getByRole('listitem').count(), 3);
  deepEqual([await call(port), await call(ownPort)], [401, 401]);
  await visit(`/w/${vendor.slug}/start`);
  await page.getByText('You’re all set.').waitFor();
});

test('the guide creates one secret key, with only the permissions a node needs', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const dialog = page.getByRole('dialog');
  const create = page.getByRole('button', { name: 'Create test key' });
  const another = page.getByRole('button', { name: 'Create another test key' });
  const takeSecret = async (): Promise<string> => {
    await create.click();
    const text = await dialog.getByRole('tabpanel').textContent();
    await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
    await page.getByRole('button', { name: 'Leave without copying' }).click();
    return /krsk_test_[\w-]+/.exec(text ?? '')?.[0] ?? '';
  };
  const slug = `${vendor.slug}-2`;
  await visit('/workspaces/new');
  await page.getByLabel('Name').fill('Second');
  await page.getByLabel('Workspace URL').fill(slug);
  await page.getByRole('button', { name: 'Create workspace' }).click();
  const first = (await dialog.locator('code').first().textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I’ve stored it' }).click();
  await page.getByRole('button', { name: 'Leave without copying' }).click();
  await page.getByText('It can verify keys, and nothing else.').waitFor();
  await ground.axe(page);
  const secret = await takeSecret();
  equal((await vendor.as.token(secret)('GET /v1/secret_keys/current')).profile, 'node');
  await page.getByText('Waiting for a node').waitFor();

  // When another test key is created, the page reuses this secret key, but not after a reload.
  const call = vendor.as.token(first);
  const secretKeys = async () => (await call('GET /v1/secret_keys')).data.length;
  await another.click();
  equal(await takeSecret(), secret);
  equal(await secretKeys(), 2);
  await page.reload();
  await another.click();
  await takeSecret();
  equal(await secretKeys(), 3);
});

test('a member sees the steps but no form', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({
    role: 'member',
    vendor: await openVendor(t),
  });
  await visit(`/w/${vendor.slug}/start`);
  await page.getByText('Ask a workspace owner or admin to create the first key.').waitFor();
  equal(await page.getByRole('main').getByRole('button').count(), 0);
});
