// Nodes are shown as connected only while they poll.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { openGround } from '../../../test/ground.ts';

test('a killed node is shown as not connected, with the time of its last poll', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'member' });
  const { project_id } = await vendor.given.key({ env: 'live' });
  const { policy_version: since } = await vendor.as.liveKey('GET /v1/projects/{id}', {
    id: project_id,
  });
  const killed = new AbortController();
  t.after(() => killed.abort());
  const hold = (node: string, more: { version?: number; signal?: AbortSignal } = {}) => {
    const query = `node=${node}&since=${more.version ?? since}&max_keys=1000&wait_ms=30000`;
    const headers = {
      authorization: `Bearer ${vendor.tokens.liveKey}`,
      'keyrail-node-name': node,
    };
    const url = `${ground.origin}/v1/policy/delta?project_id=${project_id}&${query}`;
    return fetch(url, { headers, signal: more.signal ?? null }).catch(() => null);
  };
  void hold('api:killed', { signal: killed.signal });
  const alive = new AbortController();
  t.after(() => alive.abort());
  void hold('api:alive', { signal: alive.signal });
  await hold('api:behind', { version: since - 1 });

  await visit(`/w/${vendor.slug}/live/nodes`);
  await page.getByRole('row', { name: /api:killed Current/ }).waitFor();
  await page.getByRole('columnheader', { name: 'Last seen' }).waitFor();
  killed.abort();
  await page.getByRole('row', { name: /api:killed Not connected/ }).waitFor();
  await page.getByRole('row', { name: /api:alive Current/ }).waitFor();
  await ground.axe(page);

  await visit(`/w/${vendor.slug}/live/overview`);
  const line = (name: string) => page.getByRole('link', { name: new RegExp(`^${name} ?\\d`) });
  await until(async () => (await line('Not connected').textContent())?.endsWith('1') === true);
  equal((await line('Current').textContent())?.replace(/\D/g, ''), '1');
  equal((await line('Behind').textContent())?.replace(/\D/g, ''), '1');
  await page.getByText('Last seen').waitFor();
  await ground.axe(page);
});

test('the page names nodes whose secret key can do more than a node needs, and says what to do', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const { project_id } = await vendor.given.key({ env: 'live' });
  const narrow = await vendor.as.owner('POST /v1/secret_keys', { env: 'live', profile: 'node' });
  const poll = (node: string, token: string) =>
    vendor.as.token(token)('GET /v1/policy/delta', { project_id, since: 0, node });
  await poll('api:narrow', narrow.key);
  const warning = page.getByRole('note');
  await visit(`/w/${vendor.slug}/live/nodes`);
  await page.getByRole('row', { name: /api:narrow/ }).waitFor();
  await page.waitForLoadState('networkidle');
  equal(await warning.count(), 0);

  await poll('api:wide', vendor.tokens.liveKey);
  await page
    .getByText('1 node polls with a secret key that can do more than a node needs: api:wide.')
    .waitFor();
  await ground.axe(page);
  await warning.getByRole('link', { name: 'Secret keys' }).click();
  await page.getByRole('button', { name: 'Create live secret key' }).waitFor();

  // Once the node polls with a key that has only a node's permissions, the warning disappears.
  await poll('api:wide', narrow.key);
  await visit(`/w/${vendor.slug}/live/nodes`);
  await page.getByRole('row', { name: /api:wide/ }).waitFor();
  await page.waitForLoadState('networkidle');
  equal(await warning.count(), 0);
});
