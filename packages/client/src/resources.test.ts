// Each endpoint is available as exactly one method, whose name is derived from the HTTP method and
// the path.
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { allEndpoints } from '@keyrail/protocol/endpoints/all.ts';
import { methods } from '@keyrail/protocol/wire/methods.ts';
import { json, scriptedServer } from '../test/scripted-server.ts';
import { createClient } from './client.ts';

type Named = { name: string; endpoint: string };

const namesIn = (table: object, before = ''): Named[] =>
  Object.entries(table).flatMap(([name, entry]: [string, unknown]) =>
    typeof entry === 'string'
      ? [{ name: `${before}${name}`, endpoint: entry }]
      : namesIn(Object(entry), `${before}${name}.`),
  );

const named = namesIn(methods);
const endpoints: readonly string[] = Object.keys(allEndpoints);

/** Method names that aren't derived, because the derived name would read badly. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'secretKeys.current': 'secretKeys.getCurrent',
  'sessions.current': 'sessions.deleteCurrent',
  'sessions.current.workspace': 'sessions.switchWorkspace',
  'me.password': 'me.changePassword',
  'workspaces.create': 'workspace.create',
  'tenants.embedTokens.revoke': 'tenants.revokeEmbedTokens',
  'ratelimit.check': 'rateLimits.check',
  'ratelimit.lease': 'rateLimits.lease',
  'ratelimit.return': 'rateLimits.return',
  'auditLogs.list': 'audit.list',
  'auditLogs.chain': 'audit.verifyChain',
  'auditLogs.anchor': 'audit.anchor',
  'search.get': 'search.find',
  'deployment.get': 'server.deployment',
  'healthz.get': 'server.health',
  'readyz.get': 'server.ready',
  'status.get': 'server.status',
  'wellKnown.jwks': 'server.jwks',
  'webhooks.scanner.secretScanning': 'webhooks.secretScanning',
};

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  PATCH: 'update',
  DELETE: 'delete',
};

const camelCase = (word: string): string =>
  word
    .replace(/^\.|\.json$/g, '')
    .replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Derives a method's name from its endpoint. The path gives the resource. The verb comes from the
 * HTTP method or is the last word of the path.
 */
function nameByRule(endpoint: string): string {
  const [method = '', path = ''] = endpoint.split(' ');
  const words = path.replace(/^\/(v1\/)?(auth\/)?/, '').split('/');
  const resource = words.filter((word) => !word.startsWith('{')).map(camelCase);
  const isOne = words.at(-1)?.startsWith('{') === true;
  const isCollection = words.length === 1 || endpoints.some((other) => other.includes(`${path}/{`));
  if (!isOne && !isCollection) return resource.join('.');
  const isList = Object.entries(allEndpoints).some(
    ([line, one]) => line === endpoint && 'list' in one,
  );
  return [...resource, isList ? 'list' : VERBS[method]].join('.');
}

test('every endpoint has exactly one method', () => {
  deepEqual(named.map(({ endpoint }) => endpoint).toSorted(), endpoints.toSorted());
});

test('the README lists every method and no others', () => {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, table = ''] =
    /\n\| Resource \| Methods \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(text) ?? [];
  const listed = table.split('\n').flatMap((row) => {
    const [, resources = '', called = ''] = row.split('|');
    const codesIn = (cell: string) => Array.from(cell.matchAll(/`([\w.]+)`/g), ([, code]) => code);
    return codesIn(resources).flatMap((one) => codesIn(called).map((method) => `${one}.${method}`));
  });
  deepEqual(listed.toSorted(), named.map(({ name }) => name).toSorted());
});

test('method names are derived from the HTTP method and the path, apart from the listed exceptions', () => {
  const exceptions = new Set<string>();
  for (const { name, endpoint } of named) {
    const rule = nameByRule(endpoint);
    equal(name, EXCEPTIONS[rule] ?? rule, endpoint);
    if (rule in EXCEPTIONS) exceptions.add(rule);
  }
  deepEqual(
    [...exceptions].toSorted(),
    Object.keys(EXCEPTIONS).toSorted(),
    'no exception is unused',
  );
});

test("method names are unique and in camel case, and do not hide the client's own methods", () => {
  equal(new Set(named.map(({ name }) => name)).size, named.length);
  for (const { name } of named) match(name, /^([a-z]+([A-Z][a-z]+)*\.){1,2}[a-z]+([A-Z][a-z]+)*$/);
  for (const own of ['call', 'reply', 'pages', 'dryRun', 'request', 'withToken', 'then']) {
    ok(!(own in methods), own);
  }
});

test('each method calls its endpoint, with path parameters as leading arguments', async (t) => {
  const { url, seen } = await scriptedServer(t, [json({ object: 'list', data: [] })]);
  const client = createClient({ url, retries: 0 });
  for (const { name, endpoint } of named) {
    const method = name
      .split('.')
      .reduce((at: unknown, word) => Reflect.get(Object(at), word), client);
    ok(typeof method === 'function', name);
    const ids = endpoint.includes('{') ? ['a b'] : [];
    await method(...ids, { query: { q: 1 } });
    const sent = seen.at(-1);
    equal(`${sent?.method} ${sent?.url}`, `${endpoint.replace(/\{\w+\}/, 'a%20b')}?q=1`);
  }
});

test('a list method pages through its list', async (t) => {
  const link = '</v1/keys?cursor=two>; rel="next"';
  const { url, seen } = await scriptedServer(t, [
    json({ object: 'list', data: [{ id: 'a' }] }, { headers: { link } }),
    json({ object: 'list', data: [{ id: 'b' }] }),
  ]);
  const ids: string[] = [];
  for await (const { items } of createClient({ url }).keys.list.pages({ query: { limit: 1 } })) {
    ids.push(...items.map(({ id }) => id));
  }
  deepEqual(ids, ['a', 'b']);
  deepEqual(
    seen.map((one) => one.url),
    ['/v1/keys?limit=1', '/v1/keys?limit=1&cursor=two'],
  );
});

test('a dry run is the same request with dry_run=true, and is safe to retry', async (t) => {
  const { url, seen } = await scriptedServer(t, [
    json({ error: { code: 'internal_error', message: 'x' } }, { status: 500 }),
    json({ object: 'impact' }),
  ]);
  const client = createClient({ url });
  const body = { overlap_hours: 1 };
  deepEqual(await client.keys.rotate.dryRun('a', { body }), { object: 'impact' });
  await client.dryRun('POST /v1/keys/{id}/revoke', {
    params: { id: 'a' },
    query: { wait: true },
  });
  deepEqual(
    seen.map((one) => `${one.method} ${one.url} ${one.body}`),
    [
      'POST /v1/keys/a/rotate?dry_run=true {"overlap_hours":1}',
      'POST /v1/keys/a/rotate?dry_run=true {"overlap_hours":1}',
      'POST /v1/keys/a/revoke?wait=true&dry_run=true ',
    ],
  );
});

test('a missing ID is rejected before anything is sent', async (t) => {
  const { url, seen } = await scriptedServer(t, [json({})]);
  const client = createClient({ url });
  await rejects(async () => client.keys.get(''), TypeError);
  await rejects(async () => Reflect.apply(client.keys.get, null, [{ params: {} }]), TypeError);
  equal(seen.length, 0);
});
