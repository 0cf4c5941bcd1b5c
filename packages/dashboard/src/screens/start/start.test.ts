// The first steps: each light is a real signal, and the command of the dialog runs as it stands.
import { equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '@keyrail/testing/ports.ts';
import { until } from '@keyrail/testing/until.ts';
import { openGround, openVendor } from '../../../test/ground.ts';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));

/** Runs a command in a shell and returns its output. What it started ends with the test. */
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
  // The shell has ended; what it printed may still be on its way.
  await until(() => output.includes('}'));
  return output;
}

test('a person comes from nothing to a verified request', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  await visit(`/w/${vendor.slug}/start`);
  await page.getByRole('button', { name: 'Create test key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It is shown this once').waitFor();
  const key = (await dialog.locator('code').first().textContent()) ?? '';
  match(key, /^kr_test_/);
  const command = (await dialog.getByRole('tabpanel').textContent()) ?? '';
  const secretKey = /krsk_test_\w+/.exec(command)?.[0] ?? '';
  ok(command.includes(key) && secretKey !== '');
  await ground.axe(page);

  // The command holds the key: after it was copied, the dialog closes without a question.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await dialog.getByRole('button', { name: 'Copy Command' }).click();
  equal(await page.evaluate('navigator.clipboard.readText()'), command);
  await page.evaluate("navigator.clipboard.writeText('')");
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText('Waiting for a node').waitFor();
  const kept: string = await page.evaluate(
    `[document.documentElement.outerHTML, location.href, JSON.stringify([history.state,
      { ...sessionStorage }, { ...localStorage }])].join(' ')`,
  );
  ok(!kept.includes(key) && !kept.includes(secretKey), 'no secret is left in the page');
  await ground.axe(page);

  // The page is left, and found again as it was.
  await visit(`/w/${vendor.slug}/settings`);
  await visit(`/w/${vendor.slug}/start`);
  await page.getByText('Waiting for a node').waitFor();
  const port = await freePort();
  const answered = await run(t, command.replaceAll('3000', String(port)));
  match(answered, /"env":"test"/);
  await page.getByText('One node is connected.').waitFor();
  await page.getByText('Waiting for a request').or(page.getByText('First request')).waitFor();
  await page.getByText(/First request .*; median answer of the last day: \d/).waitFor();
  const link = page.getByRole('link', { name: 'Open the key' });
  const { data: keys } = await vendor.as.testKey('GET /v1/keys');
  equal(await link.getAttribute('href'), `/w/${vendor.slug}/test/keys/${keys[0]?.id}`);
  await ground.axe(page);

  // Steps that were done elsewhere count.
  await vendor.as.testKey('POST /v1/keys/{id}/revoke', { id: keys[0]?.id, wait: true });
  await page.getByText('All steps are done.').waitFor();
});

test('a member sees the steps and no form', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({
    role: 'member',
    vendor: await openVendor(t),
  });
  await visit(`/w/${vendor.slug}/start`);
  await page.getByText('An owner or admin of the workspace creates the first key.').waitFor();
  equal(await page.getByRole('main').getByRole('button').count(), 0);
});
