// Every tab, dialog and sheet, opened in the full workspace.
import type { Key } from './full-workspace.ts';
import type { SignedIn } from './ground.ts';
import type { Shot } from './shots.ts';

type Places = {
  keys: readonly Key[];
  projects: readonly { slug: string; id: string }[];
  tenants: readonly { id: string }[];
};

/** Every tab, dialog and sheet of the full workspace. A step is `role: name of the element`. */
export function dialogShots({ keys, projects, tenants }: Places): Shot[] {
  const key = `/w/{slug}/live/keys/${keys[10]?.id}`;
  const shot = (name: string, path: string, ...steps: string[]): Shot => ({
    name: `at-${name}`,
    path,
    state: 'full',
    act: (tab) => take(tab, steps),
  });
  const list = '/w/{slug}/live';
  return [
    shot('key-usage', `${key}?tab=usage`),
    shot('key-history', `/w/{slug}/live/keys/${keys[40]?.id}?tab=history`),
    shot('key-meta', `${key}?tab=meta`),
    shot('key-quarantined', `/w/{slug}/live/keys/${keys[50]?.id}`),
    shot('key-rotated', `/w/{slug}/live/keys/${keys[34]?.id}`),
    shot('key-revoked', `/w/{slug}/live/keys/${keys[3]?.id}`),
    shot('key-gone', '/w/{slug}/live/keys/0190f3a1-7c8e-7cc2-b2a5-1f0a4c1e9d00'),
    shot('edit', key, 'button:Edit'),
    shot('rotate', key, 'button:Rotate'),
    shot('disable', key, 'button:Disable'),
    shot('revoke', key, 'button:Revoke live key'),
    shot('revealed', key, 'button:Rotate', 'dialog:Rotate live key', 'text:It is shown this once'),
    shot('revealed-leave', key, 'text:Old, until'),
    {
      ...shot('watched', `/w/{slug}/live/keys/${keys[24]?.id}`),
      act: async (tab) => {
        await take(tab, ['button:Revoke live key', 'text:Live nodes', 'dialog:Revoke live key']);
        await tab.page.getByText(/^Refused everywhere|^Refused by/).waitFor();
      },
    },
    shot('keys-menu', `${list}/keys`, 'first:Actions for'),
    shot('keys-none', `${list}/keys?q=nothing`),
    shot('keys-filtered', `${list}/keys?state=all&unused=30`),
    {
      ...shot('keys-selected', `${list}/keys`),
      act: async ({ page }) => {
        for (const at of [1, 2, 3]) await page.getByRole('checkbox').nth(at).check();
      },
    },
    {
      ...shot('keys-bulk', `${list}/keys`),
      act: async (tab) => {
        for (const at of [1, 2, 3]) await tab.page.getByRole('checkbox').nth(at).check();
        await take(tab, ['first:Revoke']);
      },
    },
    {
      ...shot('new-key-filled', `${list}/keys/new`),
      act: async ({ page }) => {
        await page.getByRole('combobox', { name: 'Project' }).fill('Bill');
        await page.getByRole('option').first().click();
        await page.getByRole('combobox', { name: 'Tenant' }).fill('Glob');
        await page.getByRole('option').first().click();
        await page.getByLabel('Name').fill('Production backend');
        await page.getByRole('textbox', { name: 'Scopes' }).fill('invoices:read');
        await page.keyboard.press('Enter');
        await page.getByRole('radio', { name: 'Its own' }).check();
        await page.getByRole('radio', { name: '90 days' }).check();
      },
    },
    shot('explained', `${list}/explain?key_id=${keys[31]?.id}`, 'text:Denied'),
    shot('explained-allowed', `${list}/explain?key_id=${keys[24 + 2]?.id}`, 'text:Allowed'),
    shot('tenant-create', `${list}/tenants`, 'button:Create tenant'),
    shot('tenant-edit', `${list}/tenants/${tenants[0]?.id}`, 'button:Edit'),
    shot('tenant-delete', `${list}/tenants/${tenants[0]?.id}`, 'button:Delete tenant'),
    shot('project-create', `${list}/projects`, 'button:Create project'),
    shot('project-edit', `${list}/projects/${projects[0]?.slug}`, 'button:Edit'),
    shot('project-delete', `${list}/projects/${projects[0]?.slug}`, 'button:Delete project'),
    shot('overview-7d', `${list}/overview?range=7d&view=latency`),
    shot('overview-35d', `${list}/overview?range=35d`),
    shot('overview-table', `${list}/overview`, 'button:Table'),
    shot('secret-create', `${list}/secret-keys`, 'button:Create live secret key'),
    shot('secret-rotate', `${list}/secret-keys`, 'first:Actions for', 'menuitem:Rotate'),
    shot('secret-revoke', `${list}/secret-keys`, 'first:Actions for', 'menuitem:Revoke'),
    shot('invite', '/w/{slug}/members', 'button:Invite a person'),
    {
      ...shot('invited', '/w/{slug}/members'),
      act: async (tab) => {
        await take(tab, ['button:Invite a person']);
        await tab.page.getByLabel('E-mail address').fill('lena@acme.example');
        await take(tab, ['dialog:Invite', 'text:It is shown this once']);
      },
    },
    shot('member-menu', '/w/{slug}/members', 'first:Actions'),
    shot('audit-checked', '/w/{slug}/audit', 'button:Check the chain', 'text:Check again'),
    shot('audit-row', '/w/{slug}/audit/113'),
    {
      ...shot('palette', `${list}/overview`),
      act: async ({ page }) => page.keyboard.press('Control+k'),
    },
    {
      ...shot('shortcuts', `${list}/overview`),
      act: async ({ page }) => page.keyboard.press('?'),
    },
    shot('switcher', `${list}/overview`, 'first:Switch workspace'),
    shot('account-menu', `${list}/overview`, 'first:Account'),
  ];
}

async function take({ page }: SignedIn, steps: readonly string[]): Promise<void> {
  for (const step of steps) {
    const [kind, name = ''] = step.split(/:(.*)/);
    if (kind === 'text') await page.getByText(name).first().waitFor();
    else if (kind === 'dialog') {
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    } else if (kind === 'menuitem') await page.getByRole('menuitem', { name }).click();
    else if (kind === 'first') await page.getByRole('button', { name }).first().click();
    else await page.getByRole('button', { name, exact: true }).first().click();
  }
}
