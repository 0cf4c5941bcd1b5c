// No project or tenant is chosen by accident, or created before the form is submitted.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { axeLayerFaults } from '../../../test/axe.ts';
import { openGround } from '../../../test/ground.ts';
import { ownServer } from '../../../test/own-server.ts';

const LISTS = /\/v1\/(projects|tenants)\?/;
const CREATES = /\/v1\/(projects|tenants|keys)$/;

const fieldOf = (page: Page, name: string) => page.getByRole('combobox', { name });
const optionOf = (page: Page, name: string) => page.getByRole('option', { name });
const sentence = (page: Page, text: string) => page.getByText(text, { exact: false }).first();

/** Types, then presses Enter without waiting for the search results. */
async function typeAndEnter(page: Page, name: string, text: string): Promise<void> {
  await fieldOf(page, name).press('Control+a');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

function recorded(page: Page): Request[] {
  const sent: Request[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && CREATES.test(request.url())) sent.push(request);
  });
  return sent;
}

const pathsOf = (sent: readonly Request[]) => sent.map((one) => new URL(one.url()).pathname);

for (const latencyMs of [0, 400, 4000]) {
  test(`Enter never chooses a tenant the user did not type, with ${latencyMs} ms of latency`, async (t) => {
    const ground = await openGround(t);
    if (!ground) return;
    const { page, vendor, visit } = await ground.signIn();
    await vendor.given.project({ name: 'Forecast API', slug: 'forecast' });
    for (const name of ['Globex', 'Hooli Europe', 'Hooli Asia', 'Empty Inc.']) {
      await vendor.given.tenant({ name, external_id: `id-${name}` });
    }
    const sent = recorded(page);
    await visit(`/w/${vendor.slug}/test/keys/new`);
    await fieldOf(page, 'Tenant').click();
    await optionOf(page, 'Empty Inc.').waitFor();
    await page.route(LISTS, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, latencyMs));
      await route.continue().catch(() => {});
    });

    // Two tenants have names that start with this text, so neither is chosen.
    await typeAndEnter(page, 'Tenant', 'Hooli');
    equal(await fieldOf(page, 'Tenant').inputValue(), 'Hooli', 'no tenant was chosen');
    await optionOf(page, 'Hooli Asia').waitFor();
    await optionOf(page, 'Create tenant Hooli').waitFor();
    equal(await optionOf(page, 'Create tenant Hooli').count(), 1);
    await page.keyboard.press('Enter');
    await sentence(page, 'lets a tenant call a project').waitFor();

    // No tenant has this name. The list says so, and Enter doesn't create one.
    await typeAndEnter(page, 'Tenant', 'Initech');
    await page.getByText('No matching tenants').waitFor();
    await optionOf(page, 'Create tenant Initech').waitFor();
    if (latencyMs === 0) deepEqual(await axeLayerFaults(page), []);
    await page.keyboard.press('Enter');
    await sentence(page, 'lets a tenant call a project').waitFor();
    equal(await fieldOf(page, 'Tenant').inputValue(), 'Initech');

    // Existing tenants can be chosen by name or ID.
    await fieldOf(page, 'Tenant').fill('globex');
    await page.locator('[role=option][data-active-item]').getByText('Globex').waitFor();
    equal(await optionOf(page, 'Create tenant globex').count(), 0);
    await page.keyboard.press('Enter');
    await sentence(page, 'lets Globex call a project').waitFor();
    equal(page.url(), `${ground.origin}/w/${vendor.slug}/test/keys/new`);

    // The only match is highlighted but not chosen, so the arrow key moves on to "Create project".
    await fieldOf(page, 'Project').fill('fore');
    await optionOf(page, 'Create project fore').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('It will be created together with the key.').waitFor();
    deepEqual(pathsOf(sent), []);
    await visit(`/w/${vendor.slug}/test/projects`);
    await page.getByRole('link', { name: 'Forecast API' }).waitFor();
    equal((await vendor.as.liveKey('GET /v1/projects')).data.length, 1, 'the form created nothing');
  });
}

test('while the server cannot be reached, the form does not offer to create anything', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expectsErrors(/^Failed to load resource: net::ERR_/);
  const server = await ownServer(t);
  const { page, vendor, visit } = await ground.signIn({ origin: server.origin });
  await vendor.given.project({ name: 'Forecast API', slug: 'forecast' });
  await visit(`/w/${vendor.slug}/test/keys/new`);
  await fieldOf(page, 'Project').waitFor();
  await server.stop();
  await fieldOf(page, 'Project').fill('forecast api');
  await page.locator('[data-popup]:visible').waitFor();
  equal(await optionOf(page, 'Create project forecast api').count(), 0);
  await page.locator('[data-popup]:visible').getByText('Can’t reach the server.').waitFor();
  equal(await page.getByRole('option').count(), 0);
  await page.keyboard.press('Enter');
  equal(
    await page.getByText('Choose or create a project.').count(),
    0,
    'Enter does not submit the form',
  );
  await server.start();
  await optionOf(page, 'Forecast API').waitFor();
  equal(await optionOf(page, 'Create project forecast api').count(), 0);
});

test('the project and the tenant are each created once, together with the key', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  ground.expects(400);
  const { page, vendor, visit } = await ground.signIn();
  const sent = recorded(page);
  await visit(`/w/${vendor.slug}/test/keys/new`);
  const name = page.getByRole('textbox', { name: /^Name/ });
  for (const [field, text] of [
    ['Project', 'Forecast API'],
    ['Tenant', 'umbrella'],
  ] as const) {
    await fieldOf(page, field).fill(text);
    await optionOf(page, `Create ${field.toLowerCase()} ${text}`).click();
  }
  deepEqual(pathsOf(sent), [], 'nothing is created before the form is submitted');
  equal(await page.getByText('It will be created together with the key.').count(), 2);
  await ground.axe(page);
  await name.fill('x'.repeat(300));

  const held = Promise.withResolvers<void>();
  await page.route(/\/v1\/projects$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Create test key' }).click();
  await page.getByRole('textbox', { name: 'Scopes' }).fill('invoices:read');
  await page.keyboard.press('Enter');
  held.resolve();
  await name.and(page.locator('[aria-invalid]')).waitFor();
  deepEqual(pathsOf(sent), ['/v1/projects', '/v1/tenants', '/v1/keys']);
  const keys = sent.map((request) => request.headers()['idempotency-key']);
  ok(keys.every(Boolean) && new Set(keys).size === 3, 'each has its own idempotency key');
  equal(await page.getByText('It will be created together with the key.').count(), 0, 'both exist');
  await sentence(page, 'lets umbrella call Forecast API, with invoices:read').waitFor();

  await name.fill('Backend');
  await page.getByRole('button', { name: 'Create test key' }).click();
  await page.getByRole('dialog').getByText('It won’t be shown again').waitFor();
  deepEqual(pathsOf(sent).slice(3), ['/v1/keys']);
  const [project, ...others] = (await vendor.as.testKey('GET /v1/projects')).data;
  equal(project?.slug, 'forecast-api');
  equal(others.length, 0);
  const [key] = (await vendor.as.testKey('GET /v1/keys')).data;
  deepEqual([key?.project_id, key?.scopes], [project?.id, ['invoices:read']]);
});
