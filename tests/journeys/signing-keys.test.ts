// Signing keys in an operator's hands: the command beside a running server, and what it prints.
import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { storeName } from '../world.ts';
import { BOOTSTRAP_TOKEN, deploy, type Running } from './deployment.ts';

const ORIGIN = 'https://app.customer.example';

async function tokenFrom({ as }: Running): Promise<string> {
  const founded = await as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', { name: 'Acme', slug: 'acme' });
  const vendor = as(founded.secret_key.key);
  await vendor('PATCH /v1/workspace', { embed_origins: [ORIGIN] });
  const project = await vendor('POST /v1/projects', { name: 'Orders', slug: 'orders' });
  const tenant = await vendor('POST /v1/tenants', { external_id: 'customer' });
  const wanted = { project_id: project.id, tenant_id: tenant.id, env: 'live' };
  return (await vendor('POST /v1/embed_tokens', wanted)).token;
}

const statusOf = async (server: Running, token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, origin: ORIGIN };
  return (await fetch(`${server.url}/v1/embed/session`, { headers })).status;
};

const published = async ({ as }: Running): Promise<string[]> =>
  (await as(null)('GET /.well-known/jwks.json')).keys.map(({ kid }) => kid);

test('an operator lists and rotates signing keys', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run();
  const [first, ...others] = await published(server);
  ok(first && others.length === 0, 'there is one from the first start on');
  const token = await tokenFrom(server);
  equal(await statusOf(server, token), 200);

  const beside = await deployment.command('signing-keys', 'rotate');
  if (storeName === 'embedded') {
    equal(beside.code, 1);
    match(beside.output, /Another Keyrail process/);
    await server.stop();
    equal((await deployment.command('signing-keys', 'rotate')).code, 0);
  } else equal(beside.code, 0);
  const listed = await deployment.command('signing-keys', 'list');
  match(listed.output, new RegExp(`${first}  signs since .*, published until `));
  match(listed.output, /published, signs from /);
  if (storeName === 'embedded') return;

  match((await deployment.command('signing-keys', 'rotate')).output, /is on its way already/);
  equal((await published(server)).length, 2);
  equal(await statusOf(server, token), 200);
  const now = await deployment.command('signing-keys', 'rotate', '--now');
  match(now.output, / made; it signs from /);
  equal(await statusOf(server, token), 401);
  equal((await deployment.command('signing-keys', 'spin')).code, 1);
});
