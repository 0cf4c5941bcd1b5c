// Projects are created, given default limits, and deleted after the impact has been shown.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openGround } from '../../../test/ground.ts';

test('a project can be created, given default limits, and deleted', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn({ role: 'owner' });
  const dialog = page.getByRole('dialog');

  await visit(`/w/${vendor.slug}/test/projects`);
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
  await page.getByRole('button', { name: 'Create project' }).click();
  await dialog.getByLabel('Name').fill('Payments API');
  equal(await dialog.getByLabel('Slug').inputValue(), 'payments-api');
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { name: 'Payments API', level: 1 }).waitFor();
  await page.waitForURL('**/test/projects/payments-api');
  const [project] = (await vendor.as.liveKey('GET /v1/projects')).data;
  const id = project?.id ?? '';

  await vendor.given.key({ project_id: id, env: 'test' });
  await vendor.given.key({ project_id: id, env: 'test', rate_limits: [] });
  await vendor.given.key({ project_id: id, env: 'live' });
  await page.reload();
  // One of the two test keys has its own limits.
  await page.getByText('Keys using these limits, live and test: 2.').waitFor();
  await page.getByText('2 active of 2').waitFor();
  await ground.axe(page);
  await page.getByRole('button', { name: 'Edit limits' }).click();
  await dialog.getByText('Keys affected, live and test: 2.').waitFor();
  await dialog.getByText('any number of requests').waitFor();
  await dialog.getByRole('radio', { name: 'Custom' }).check();
  const save = dialog.getByRole('button', { name: 'Save limits' });
  equal(await save.getAttribute('title'), 'Add a limit, or choose Unlimited.');
  await dialog.getByRole('button', { name: 'Add limit' }).click();
  await dialog.getByRole('spinbutton', { name: 'Requests' }).fill('50');
  await ground.axe(page);
  await save.click();
  await page.getByText('at most 50 per 1 min per key, sliding window').waitFor();
  const { default_rate_limits } = await vendor.as.liveKey('GET /v1/projects/{id}', { id });
  deepEqual(
    default_rate_limits.map(({ limit, window_ms }) => ({ limit, window_ms })),
    [{ limit: 50, window_ms: 60_000 }],
  );

  await visit(`/w/${vendor.slug}/test/projects`);
  await page.getByRole('row', { name: /Payments API payments-api .* 2 v\d+$/ }).waitFor();
  await page.getByRole('link', { name: 'Payments API' }).click();
  await page.getByRole('button', { name: 'Delete project' }).click();
  await dialog.getByText('Active keys').waitFor();
  await dialog.getByRole('button', { name: 'Delete project' }).click();
  await page.getByText('Payments API deleted. 3 keys revoked.').waitFor();
  // The page keeps polling for nodes until the server responds that the project doesn't exist.
  ground.expects(404);
  await page.goBack();
  await page.getByRole('heading', { name: 'Project not found' }).waitFor();
});
