// The workspace shown in the screenshots, as it looks after three months of use: projects, tenants,
// keys in every state, traffic, denied requests, members and invitations.

import type { TestContext } from 'node:test';
import { givenBy } from '@keyrail/testing/fixtures.ts';
import { type Caller, harness, type Input } from '@keyrail/testing/harness.ts';
import { mailedToken, PASSWORD, type Person } from '@keyrail/testing/people.ts';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { endpointFor, sendAllTo } from '@keyrail/testing/webhooks.ts';
import type { Vendor } from './ground.ts';
import { sendTraffic } from './traffic.ts';

const DAY_MS = 86_400_000;

const PROJECTS = [
  { name: 'Billing API', slug: 'billing' },
  { name: 'Orders API', slug: 'orders' },
  { name: 'Search', slug: 'search' },
  { name: 'Ledger', slug: 'ledger' },
];

const TENANTS = [
  'Globex|Brightwater Bank|Kestrel Aviation|Lumen Health|Northwind Traders|Ostrich Mobility',
  'Initech|Fabrikam|Contoso Freight|Pinecone Foods|Quarry & Sons|Riverside Clinics|Solstice Energy',
  'Tailspin Toys|Umbra Optics|Vantage Insurance|Wide World Importers|Xenon Labs|Yellowfin Travel',
  'Zephyr Cloud|Adatum|Bellows College|Coho Winery|Datum Analytics|Everwell Pharmacy|First Up',
  'Graphic Design Institute|Humongous Insurance|Island Ferries|Juniper Grid',
].flatMap((line) => line.split('|'));

const KEYS = [
  'Production backend|Nightly export|Mobile gateway|Invoice worker|Webhook relay|Warehouse sync',
  'Partner portal|Reconciliation job|Checkout|Support console',
].flatMap((line) => line.split('|'));

const SCOPES = [
  ['invoices:read'],
  ['invoices:read', 'invoices:write'],
  ['orders:read', 'orders:write', 'orders:refund'],
  ['search:query'],
];

const PEOPLE = [
  { name: 'Maya Lindqvist', email: 'maya@acme.example', role: 'owner' },
  { name: 'Tomás Okafor', email: 'tomas@acme.example', role: 'admin' },
  { name: 'Inês Duarte', email: 'ines@acme.example', role: 'member' },
  { name: 'Priya Raman', email: 'priya@acme.example', role: 'admin' },
] as const;

export type Key = {
  id: string;
  key: string;
  name: string | null;
  env: 'live' | 'test';
  project_id: string;
  tenant_id: string;
};

/** Creates the workspace for the screenshots. Its history ends at the machine's current time. */
export async function fullWorkspace(t: TestContext) {
  const vendor = await harness(t);
  const { as, clock, testApp } = vendor;
  clock.shift(-100 * DAY_MS);
  const founded = await as.bootstrap('POST /v1/workspaces', { name: 'Acme', slug: 'acme' });
  const call = as.token(founded.secret_key.key);
  const given = givenBy(call);
  for (const { name, email, role } of PEOPLE) {
    await as.nobody('POST /v1/auth/users', { email, password: PASSWORD, name });
    const token = await mailedToken(testApp, email, 'verify_email');
    await as.nobody('POST /v1/auth/email_verifications/consume', { token });
    const invite = await call('POST /v1/invites', { email, role });
    const { call: invited } = await logIn(as, email);
    await invited('POST /v1/auth/invites/accept', { token: invite.token });
  }
  const projects = [];
  for (const project of PROJECTS) projects.push(await given.project(project));
  const tenants = [];
  for (const [at, name] of TENANTS.entries()) {
    tenants.push(await given.tenant({ external_id: `cust_${1041 + at * 7}`, name }));
  }
  clock.shift(5 * DAY_MS);
  const keys: Key[] = [];
  for (let at = 0; at < 60; at += 1) {
    if (at === 12 || at === 30) clock.shift(30 * DAY_MS);
    if (at === 48) clock.shift(32 * DAY_MS);
    const place = {
      project_id: projects[at % 11 === 0 ? 3 : at % 3]?.id,
      tenant_id: tenants[(at * 7) % tenants.length]?.id,
      env: at % 6 === 5 ? 'test' : 'live',
    };
    const name = KEYS[(at * 3) % KEYS.length];
    const scopes = SCOPES[at % SCOPES.length];
    keys.push(await given.key({ ...place, name, scopes, ...extraOf(at, clock.now()) }));
  }
  // The workspace's clock is now three days behind the real time. From here on, members make the
  // changes.
  const owner = await logIn(as, 'maya@acme.example');
  const admin = await logIn(as, 'tomas@acme.example');
  await endSome(keys, owner.call, admin.call);
  clock.reset();
  const people = {
    owner: () => logIn(as, 'maya@acme.example'),
    admin: () => logIn(as, 'tomas@acme.example'),
    member: () => logIn(as, 'ines@acme.example'),
  };
  await sendTraffic(call, keys, clock.now());
  const full: Vendor = {
    ...vendor,
    given,
    people,
    slug: 'acme',
    workspaceId: founded.workspace.id,
    as: { ...vendor.as, liveKey: call },
    tokens: { ...vendor.tokens, liveKey: founded.secret_key.key },
  };
  const endpoints = await addEndpoints(t, full);
  const secretKey = await recentChanges(full, keys, projects);
  for (const { id } of endpoints) await sendAllTo(full, id);
  return { vendor: full, keys, secretKey, projects, tenants };
}

/** Adds three endpoints: one that works, one without a server, and one that is disabled. */
async function addEndpoints(t: TestContext, full: Vendor): Promise<{ id: string }[]> {
  const receiver = await openReceiver(t);
  const works = await endpointFor(full, receiver.url, { description: 'Ticket system' });
  const events = ['api_key.*', 'secret_key.expiring'];
  const fails = await endpointFor(full, 'http://127.0.0.1:1/keyrail', { events, env: 'live' });
  const { id } = await endpointFor(full, `${receiver.url}/old`, { description: 'Audit mirror' });
  await full.as.liveKey('PATCH /v1/webhook_endpoints/{id}', { id, disabled: true });
  return [works, fails];
}

async function logIn(as: Vendor['as'], email: string): Promise<Person> {
  const { token, user } = await as.nobody('POST /v1/auth/sessions', { email, password: PASSWORD });
  return { email, userId: user.id, token, call: as.token(token) };
}

/** Additional fields for keys in special states. */
function extraOf(at: number, now: Date): Input {
  const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString();
  if (at === 49 || at === 51) return { expires_at: inDays(at - 40) };
  if (at === 44 || at === 38) return { expires_at: inDays(31) };
  if (at % 9 === 4) return { expires_at: inDays(365) };
  const limit = { id: 'burst', limit: 1000, window_ms: 60_000, algorithm: 'sliding', scope: 'key' };
  return at % 8 === 2 ? { rate_limits: [limit] } : {};
}

async function endSome(keys: readonly Key[], owner: Caller, admin: Caller): Promise<void> {
  const id = (at: number) => keys[at]?.id;
  await owner('POST /v1/keys/{id}/revoke', { id: id(3), reason: 'Left a laptop on a train' });
  await admin('POST /v1/keys/{id}/revoke', { id: id(20), reason: 'Contract ended' });
  await admin('POST /v1/keys/{id}/disable', { id: id(31), reason: 'Invoice overdue' });
  await admin('POST /v1/keys/{id}/disable', { id: id(53), reason: 'Load test over' });
  await owner('PATCH /v1/keys/{id}', { id: id(40), scopes: ['orders:read'] });
}

/** Makes the changes that members have made today. Returns the ID of a limited secret key. */
async function recentChanges(
  { as, people, slug }: Vendor,
  keys: readonly Key[],
  projects: readonly { id: string }[],
): Promise<string> {
  const { call: owner } = await people.owner();
  const { call: admin } = await people.admin();
  const limit = { id: 'fair', limit: 600, window_ms: 60_000, algorithm: 'sliding', scope: 'key' };
  await admin('PATCH /v1/projects/{id}', { id: projects[0]?.id, default_rate_limits: [limit] });
  await admin('POST /v1/keys/{id}/rotate', { id: keys[34]?.id, overlap_hours: 72 });
  const url = `https://github.com/globex/infra/blob/main/${slug}.env`;
  const report = { token: keys[50]?.key, type: 'keyrail_api_key', url, source: 'content' };
  await as.scanner('POST /v1/webhooks/scanner/secret_scanning', { reports: [report] });
  const secretKey = await owner('POST /v1/secret_keys', {
    env: 'live',
    name: 'Billing backend',
    profile: 'backend',
    project_ids: projects.slice(0, 2).map(({ id }) => id),
    networks: ['203.0.113.0/24', '127.0.0.0/8'],
  });
  for (const read of ['GET /v1/keys', 'GET /v1/tenants'] as const) {
    await as.token(secretKey.key)(read);
  }
  await admin('POST /v1/secret_keys', { env: 'live', name: 'Nodes, Frankfurt', profile: 'node' });
  await admin('POST /v1/secret_keys', {
    env: 'test',
    name: 'Continuous integration',
    permissions: ['projects:read', 'keys:read', 'keys:write'],
  });
  const { id } = await admin('POST /v1/secret_keys', { env: 'live', name: 'Nightly report' });
  await admin('PATCH /v1/secret_keys/{id}', { id, permissions: ['usage:read', 'audit:read'] });
  await owner('PATCH /v1/workspace', {
    billing_email: 'accounts@acme.example',
    embed_origins: ['https://app.acme.example', 'https://staging.acme.example'],
  });
  await owner('POST /v1/invites', { email: 'jonas@acme.example', role: 'member' });
  await admin('PATCH /v1/keys/{id}', { id: keys[56]?.id, name: 'Checkout, Europe' });
  await admin('POST /v1/keys/{id}/disable', { id: keys[57]?.id });
  return secretKey.id;
}
