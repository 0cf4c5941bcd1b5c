// An operator manages signing keys with the command line while a server is running.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { storeName } from '@keyrail/testing/test-app.ts';
import { BOOTSTRAP_TOKEN, deploy, type Running } from './deployment.ts';

const ORIGIN = 'https://app.customer.example';

/** Creates embed tokens for one tenant through the given server. */
async function minterOn({ as }: Running): Promise<(server: Running) => Promise<string>> {
  const founded = await as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', { name: 'Acme', slug: 'acme' });
  const vendor = as(founded.secret_key.key);
  await vendor('PATCH /v1/workspace', { embed_origins: [ORIGIN] });
  const project = await vendor('POST /v1/projects', { name: 'Orders', slug: 'orders' });
  const tenant = await vendor('POST /v1/tenants', { external_id: 'customer' });
  const wanted = { project_id: project.id, tenant_id: tenant.id, env: 'live' };
  const { key } = founded.secret_key;
  return async (server) => (await server.as(key)('POST /v1/embed_tokens', wanted)).token;
}

const statusOf = async (server: Running, token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, origin: ORIGIN };
  return (await fetch(`${server.url}/v1/embed/session`, { headers })).status;
};

const published = async ({ as }: Running): Promise<string[]> =>
  (await as(null)('GET /.well-known/jwks.json')).keys
    .filter(({ purpose }) => purpose === 'embed_token')
    .map(({ kid }) => kid);

test('an operator can list and rotate signing keys', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run();
  const [first, ...others] = await published(server);
  ok(first && others.length === 0, 'the first start creates one key');
  const token = await (await minterOn(server))(server);
  equal(await statusOf(server, token), 200);

  const beside = await deployment.command('signing-keys', 'rotate');
  if (storeName === 'embedded') {
    equal(beside.code, 1);
    match(beside.output, /Another Keyrail process/);
    await server.stop();
    equal((await deployment.command('signing-keys', 'rotate')).code, 0);
  } else equal(beside.code, 0);
  const listed = await deployment.command('signing-keys', 'list');
  match(listed.output, new RegExp(`${first}  embed_token  signing since .*, published until `));
  match(listed.output, /published, starts signing at /);
  if (storeName === 'postgres') {
    match((await deployment.command('signing-keys', 'rotate')).output, /is already published/);
  }
  for (const words of [['spin'], ['rotate', '--purpose', 'mail']]) {
    const { code, output } = await deployment.command('signing-keys', ...words);
    equal(code, 1, words.join(' '));
    match(output, /usage: keyrail-server signing-keys list \| rotate/);
  }
});

test('two processes that start together agree on their signing keys, even after rotations', async (t) => {
  if (storeName === 'embedded') return t.skip('the embedded store allows one process');
  const deployment = await deploy(t, { KEYRAIL_PUBLIC_URL: 'https://keys.example.com' });
  const [one, two] = await Promise.all([deployment.run('api'), deployment.run('api')]);
  equal((await published(one)).length, 1);
  deepEqual(await published(two), await published(one));
  const mint = await minterOn(one);
  const old = await mint(one);
  for (const server of [one, two]) equal(await statusOf(server, old), 200);

  await deployment.command('signing-keys', 'rotate');
  equal((await published(two)).length, 2);
  for (const server of [one, two]) equal(await statusOf(server, old), 200);
  const now = await deployment.command('signing-keys', 'rotate', '--now');
  // The output also contains warnings, so the pattern finds the new key's ID by the words after it.
  const created = now.output.match(/\S+(?= created; it starts signing at )/g);
  for (const server of [one, two]) deepEqual(await published(server), created);
  for (const server of [one, two]) equal(await statusOf(server, old), 401);
  const next = await mint(one);
  const other = await mint(two);
  for (const server of [two, one]) {
    for (const token of [next, other]) equal(await statusOf(server, token), 200);
  }
});
