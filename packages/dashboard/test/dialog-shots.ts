// Screenshots of every tab, dialog and sheet in the full workspace.
import type { Page } from 'playwright-core';
import type { Key } from './full-workspace.ts';
import type { Shot } from './shots.ts';

type Places = {
  keys: readonly Key[];
  projects: readonly { slug: string; id: string }[];
  tenants: readonly { id: string }[];
};

/**
 * A screenshot's name, the path to open, and the steps that open the dialog. Each step has the form
 * `kind:name`, and the kinds are defined in `steps`.
 */
type Line = readonly [name: string, path: string, ...lead: string[]];

export const dialogShots = (places: Places): Shot[] =>
  [...keyLines(places), ...listLines, ...objectLines(places), ...lastLines].map(
    ([name, path, ...lead]) => ({
      name: `at-${name}`,
      path: `/w/{slug}${path}`,
      state: 'full',
      act: async ({ page }) => {
        for (const step of lead) {
          const [kind = '', text = ''] = step.split(/:(.*)/);
          await steps[kind]?.(page, text);
        }
      },
    }),
  );

const steps: Readonly<Record<string, (page: Page, text: string) => Promise<void>>> = {
  button: (page, name) => page.getByRole('button', { name, exact: true }).first().click(),
  first: (page, name) => page.getByRole('button', { name }).first().click(),
  inside: (page, name) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).last().click(),
  item: (page, name) => page.getByRole('menuitem', { name }).click(),
  sees: (page, text) => page.getByText(text).first().waitFor(),
  scrolls: (page, text) => page.getByText(text).scrollIntoViewIfNeeded(),
  aborts: async (page, path) => void (await page.route(`**${path}`, (route) => route.abort())),
  fails: async (page, path) =>
    void (await page.route(`**${path}`, (route) => route.fulfill({ status: 500 }))),
  stalls: async (page, path) => void (await page.route(`**${path}`, () => {})),
  press: (page, key) => page.keyboard.press(key),
  opens: (page) => page.locator('dialog[open]').waitFor(),
  check: (page, at) => page.getByRole('checkbox').nth(Number(at)).check(),
  uncheck: (page, name) => page.getByRole('checkbox', { name }).uncheck(),
  radio: (page, name) => page.getByRole('radio', { name, exact: true }).check(),
  summary: (page, name) => page.locator('summary', { hasText: name }).first().click(),
  type: async (page, text) => {
    const [name = '', value = ''] = text.split('=');
    await page.getByRole('combobox', { name }).pressSequentially(value);
  },
  choose: async (page, text) => {
    const [name = '', value = ''] = text.split('=');
    await page.getByRole('combobox', { name }).fill(value);
    await page.getByRole('option').first().click();
  },
  fill: (page, text) => {
    const [name = '', value = ''] = text.split('=');
    return page.getByRole('textbox', { name }).first().fill(value);
  },
};

// biome-ignore format: one line for each picture
function keyLines({ keys }: Places): Line[] {
  const at = (index: number) => `/live/keys/${keys[index]?.id}`;
  return [
    ['key-usage', `${at(10)}?tab=usage`],
    ['key-history', `${at(40)}?tab=history`],
    ['key-meta', `${at(10)}?tab=meta`],
    ['key-quarantined', at(50)],
    ['key-rotated', at(34)],
    ['key-revoked', at(3)],
    ['key-gone', '/live/keys/0190f3a1-7c8e-7cc2-b2a5-1f0a4c1e9d00'],
    ['edit', at(10), 'button:Edit'],
    ['edit-custom', at(11), 'button:Edit', 'radio:Custom'],
    ['rotate', at(10), 'button:Rotate', 'sees:Requests (24 h)'],
    ['disable', at(10), 'button:Disable', 'sees:Requests (24 h)'],
    ['enable', at(31), 'button:Enable'],
    ['revoke', at(9), 'button:Revoke live key', 'sees:Live nodes'],
    ['revealed', at(10), 'button:Rotate', 'inside:Rotate live key', 'sees:It won’t be shown again'],
    ['leaving', at(14), 'button:Rotate', 'inside:Rotate live key', 'sees:It won’t be shown again', 'press:Escape', 'sees:Leave without copying?'],
    ['watched', at(24), 'button:Revoke live key', 'sees:Live nodes', 'inside:Revoke live key', 'sees:Rejected everywhere', 'sees:Signed receipt verified'],
    ['explained', `/live/explain?key_id=${keys[31]?.id}`, 'sees:Denied'],
    ['explain-scopes', `/live/explain?key_id=${keys[26]?.id}&scopes=payouts:write%20admin:all`, 'button:Add 2 scopes to live key', 'sees:Requests (24 h)'],
    ['explained-allowed', `/live/explain?key_id=${keys[26]?.id}`, 'sees:Allowed'],
  ];
}

// biome-ignore format: one line for each picture
const listLines: readonly Line[] = [
  ['webhook-new', '/webhooks', 'button:Add endpoint', 'opens'],
  ['webhook-events', '/webhooks', 'button:Add endpoint', 'opens', 'radio:Selected events', 'summary:API keys', 'check:1', 'check:3', 'summary:Secret keys', 'check:12'],
  ['webhook-deliveries', '/webhooks', 'first:1/keyrail', 'opens', 'sees:refused'],
  ['webhook-rotate', '/webhooks', 'first:Actions for', 'item:Rotate secret', 'opens'],
  ['keys-menu', '/live/keys', 'first:Actions for', 'sees:Copy ID'],
  ['keys-none', '/live/keys?q=nothing'],
  ['keys-filtered', '/live/keys?state=all&unused=30'],
  ['keys-selected', '/live/keys', 'check:1', 'check:2', 'check:3'],
  ['keys-bulk', '/live/keys', 'check:1', 'check:2', 'check:3', 'button:Revoke', 'sees:Requests (24 h)'],
  ['new-key-filled', '/live/keys/new', 'choose:Project=Bill', 'choose:Tenant=Glob', 'fill:Name=Production backend', 'fill:Scopes=invoices:read', 'press:Enter', 'radio:Custom', 'button:Add limit', 'radio:90 days'],
  ['new-key-found', '/live/keys/new', 'type:Tenant=Co', 'sees:Contoso Freight'],
  ['new-key-none', '/live/keys/new', 'type:Project=Forecast API', 'sees:Create project Forecast API'],
  ['new-key-marked', '/live/keys/new', 'choose:Project=Forecast API', 'choose:Tenant=cust_9', 'radio:Custom', 'button:Create live key'],
  ['new-key-unlimited', '/live/keys/new', 'choose:Project=Bill', 'choose:Tenant=Glob', 'radio:Unlimited'],
  ['start-revealed', '/start', 'button:Create another test key', 'button:Create test key', 'sees:It won’t be shown again'],
  ['overview-7d', '/live/overview?range=7d&view=latency'],
  ['overview-35d', '/live/overview?range=35d'],
  ['overview-table', '/live/overview', 'button:Table'],
  ['tenant-create', '/live/tenants', 'button:Create tenant'],
  ['project-create', '/live/projects', 'button:Create project'],
  ['secret-create', '/live/secret-keys', 'button:Create live secret key'],
  ['secret-create-custom', '/live/secret-keys', 'button:Create live secret key', 'radio:Custom', 'check:0', 'check:4'],
  ['secret-create-limits', '/live/secret-keys', 'button:Create live secret key', 'radio:A backend that manages customers’ keys', 'summary:Limits', 'type:Projects=billing', 'sees:Billing API', 'press:Enter', 'fill:Networks=10.1.2.3/8', 'inside:Create live secret key', 'sees:did you mean'],
  ['secret-rename', '/live/secret-keys', 'first:Actions for', 'item:Rename'],
  ['secret-narrow', '/live/secret-keys', 'first:Actions for Billing backend', 'item:Narrow', 'uncheck:Create embed tokens', 'uncheck:View API keys and explain requests', 'sees:may be using it'],
  ['secret-narrow-loss', '/live/secret-keys', 'first:Actions for Billing backend', 'item:Narrow', 'uncheck:Create embed tokens', 'uncheck:View API keys and explain requests', 'sees:may be using it', 'scrolls:Takes effect immediately'],
  ['secret-rotate', '/live/secret-keys', 'first:Actions for', 'item:Rotate'],
  ['secret-revoke', '/live/secret-keys', 'first:Actions for', 'item:Revoke'],
  ['invite', '/members', 'button:Invite member'],
  ['invited', '/members', 'button:Invite member', 'fill:Email address=lena@acme.example', 'inside:Send invitation', 'sees:It won’t be shown again'],
  ['member-menu', '/members', 'first:Actions for', 'sees:Change role'],
  ['member-role', '/members', 'first:Actions for Tom', 'item:Change role'],
  ['member-remove', '/members', 'first:Actions for Tom', 'item:Remove', 'sees:created by'],
  ['member-revoke', '/members', 'first:Actions for Tom', 'item:Remove', 'radio:Revoke them'],
  ['audit-checked', '/audit', 'button:Verify log', 'sees:Verify again'],
  ['audit-row', '/audit/113'],
  ['audit-narrowed', '/audit/125'],
  ['palette', '/live/overview', 'press:Control+k', 'opens:'],
  ['palette-results', '/live/overview', 'press:Control+k', 'type:Search=bil', 'sees:Billing'],
  ['palette-none', '/live/overview', 'press:Control+k', 'type:Search=nothing like this', 'sees:No matches.'],
  ['palette-failing', '/live/overview', 'fails:/v1/search*', 'press:Control+k', 'type:Search=globex', 'sees:Couldn’t search'],
  ['palette-loading', '/live/overview', 'stalls:/v1/search*', 'press:Control+k', 'type:Search=globex', 'sees:Searching'],
  ['shortcuts', '/live/overview', 'press:?', 'opens:'],
  ['switcher', '/live/overview', 'first:Switch workspace'],
  ['account-menu', '/live/overview', 'first:Account'],
  ['navigation', '/live/overview', 'button:Open menu'],
];

// biome-ignore format: one line for each picture
const objectLines = ({ projects, tenants }: Places): Line[] => [
  ['tenant-edit', `/live/tenants/${tenants[0]?.id}`, 'button:Edit'],
  ['tenant-delete', `/live/tenants/${tenants[0]?.id}`, 'button:Delete tenant', 'sees:Type'],
  ['tenant-tokens', `/live/tenants/${tenants[0]?.id}`, 'button:Revoke all tokens', 'opens:'],
  ['project-edit', `/live/projects/${projects[0]?.slug}`, 'button:Edit'],
  ['project-limits', `/live/projects/${projects[0]?.slug}`, 'button:Edit limits', 'opens:'],
  ['project-unlimited', `/live/projects/${projects[1]?.slug}`, 'button:Edit limits', 'opens:'],
  ['project-delete', `/live/projects/${projects[0]?.slug}`, 'button:Delete project', 'sees:Type'],
];

/** Ends the session, so these screenshots are taken last. */
// biome-ignore format: one line for each picture
const lastLines: readonly Line[] = [
  ['sign-in-unended', '/live/keys', 'aborts:/v1/auth/sessions/current', 'first:Account ', 'item:Sign out', 'sees:stays valid until'],
];
