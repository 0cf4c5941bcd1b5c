// What the dashboard shows after a change that may not have reached every node. The tests modify
// the server's responses on their way to the browser.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { IncompleteReason } from '@keyrail/protocol/wire/receipt.ts';
import { readAll } from '@keyrail/testing/feed.ts';
import { servedTime } from '@keyrail/testing/served-time.ts';
import type { Page } from 'playwright-core';
import { openGround } from '../../../test/ground.ts';

type Changes = { incomplete_reason: IncompleteReason | null } & Record<string, unknown>;

/** Replaces the nodes' results in all further responses to this change. */
async function revise(page: Page, act: string, changes: Changes): Promise<void> {
  await page.unrouteAll({ behavior: 'wait' });
  await page.route(`**/v1/keys/*/${act}?wait=true`, async (route) => {
    const response = await route.fetch();
    const { propagation, ...key } = await response.json();
    const complete = changes.incomplete_reason === null;
    await route.fulfill({
      response,
      json: { ...key, propagation: { ...propagation, complete, ...changes } },
    });
  });
}

const node = (name: string, acked: boolean) => ({
  node_id: name,
  env_scope: 'live',
  version: acked ? 12 : 11,
  acked,
  acked_after_ms: acked ? 14 : null,
  last_seen_at: '2026-01-01T00:00:00.000Z',
});

const counts = (acked_nodes: number, total_nodes: number) => ({ acked_nodes, total_nodes });
const missing = { ...counts(1, 2), nodes: [node('api-1', true), node('api-2', false)] };
const whole = { ...counts(2, 2), nodes: [node('api-1', true), node('api-2', true)] };

const cases = {
  restored: [
    whole,
    /^Rejected by 2 of 2 nodes/,
    'The server was restored from a backup moments ago.',
  ],
  full: [whole, /^Rejected by 2 of 2 nodes/, 'This project can’t register more nodes.'],
  silent: [
    missing,
    /^Rejected by 1 of 2 nodes/,
    'At least one node hasn’t polled since the change.',
  ],
  timeout: [missing, /^Rejected by 1 of 2 nodes/, 'At least one node polled moments ago'],
} as const;

for (const act of ['revoke', 'disable'] as const) {
  test(`${act}: the dashboard says why some nodes may not have applied the change`, async (t) => {
    const ground = await openGround(t);
    if (!ground) return;
    const { page, vendor, visit } = await ground.signIn();
    const dialog = page.getByRole('dialog');
    const again = dialog.getByRole('button', { name: 'Check again' });
    const action = act === 'revoke' ? 'Revoke live key' : 'Disable live key';
    const opens = act === 'revoke' ? action : 'Disable';
    const end = async () => {
      const { id } = await vendor.given.key({ name: 'Backend' });
      await visit(`/w/${vendor.slug}/live/keys/${id}`);
      await page.getByRole('button', { name: opens, exact: true }).click();
      await dialog.getByRole('button', { name: action }).click();
    };

    await revise(page, act, { incomplete_reason: 'restored' });
    await end();
    await dialog.getByText(/^No nodes had reported back after [\d,]+ ms$/).waitFor();
    for (const [reason, [nodes, headline, sentence]] of Object.entries(cases)) {
      await revise(page, act, { incomplete_reason: reason as IncompleteReason, ...nodes });
      await again.click();
      await dialog.getByText(headline).waitFor();
      await dialog.getByText(sentence).waitFor();
      await page.locator('p').filter({ hasText: 'receipt' }).waitFor();
    }
    await ground.axe(page);
    await page.unrouteAll({ behavior: 'wait' });
    await again.click();
    await dialog
      .getByText(
        'No nodes are connected. Any node that starts from now on will load this change before it verifies any keys.',
      )
      .waitFor();
    equal(await again.count(), 0);
  });
}

test('if a node is silent, a revocation is not reported as applied everywhere', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const dialog = page.getByRole('dialog');
  const { id } = await vendor.given.key();
  await revise(page, 'revoke', { incomplete_reason: null, ...whole, silent_nodes: 1 });
  await visit(`/w/${vendor.slug}/live/keys/${id}`);
  await page.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByText(/^Rejected by 2 of 2 nodes after 14 ms$/).waitFor();
  await dialog.getByText('1 more node was seen in the last 24 hours but is silent now.').waitFor();
});

test('a receipt says that a silent node may not have applied the change', async (t) => {
  const ground = await openGround(t);
  if (!ground) return;
  const { page, vendor, visit } = await ground.signIn();
  const dialog = page.getByRole('dialog');
  const { serve } = await servedTime(vendor);
  const { id, project_id } = await vendor.given.key();
  await readAll(vendor, { project_id, node: 'silent' });
  await serve(110_000);
  await visit(`/w/${vendor.slug}/live/keys/${id}`);
  await page.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByRole('button', { name: 'Revoke live key' }).click();
  await dialog.getByText('1 more node was seen in the last 24 hours but is silent now.').waitFor();
  await dialog.getByText('It states that some nodes may still accept this key.').waitFor();
});
