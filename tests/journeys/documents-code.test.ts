// Runs the code in the READMEs of the SDK, the client and the reference exactly as written: each
// framework example serves a request, and the client examples call a real server.
import { deepEqual, doesNotReject, equal, match, ok, rejects } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Block, blocksOf, documents, root } from '@keyrail/testing/documents.ts';
import { givenBy } from '@keyrail/testing/fixtures.ts';
import { transform } from 'esbuild';
import { BOOTSTRAP_TOKEN, deploy } from './deployment.ts';

const codeIn = (path: string): Block[] =>
  documents()
    .filter((document) => document.path === path)
    .flatMap(blocksOf)
    .filter(({ language, notRun }) => language === 'ts' && !notRun);

const LISTEN = `const listening = app.listen(0, '127.0.0.1');
await new Promise((done) => listening.once('listening', done));
export const url = 'http://127.0.0.1:' + listening.address().port;
export const close = () => listening.close();`;

/** The lines around each framework example that readers would have in their own code. */
const programs: Record<string, { before: string; after: string }> = {
  express: { before: "import express from 'express';\nconst app = express();", after: LISTEN },
  koa: { before: "import Koa from 'koa';\nconst app = new Koa();", after: LISTEN },
  fastify: {
    before: "import fastify from 'fastify';\nconst app = fastify();",
    after: `export const url = await app.listen({ port: 0, host: '127.0.0.1' });
export const close = () => app.close();`,
  },
  node: { before: '', after: `const app = server;\n${LISTEN}` },
  hono: {
    before: "import { Hono } from 'hono';\nconst app = new Hono();",
    after: 'export const serve = (request) => app.request(request);',
  },
  web: { before: '', after: 'export const serve = handler;' },
  next: { before: '', after: 'export const serve = (request) => GET(request, {});' },
  nest: {
    before:
      "import 'reflect-metadata';\nimport { Module } from '@nestjs/common';\n" +
      "import { NestFactory } from '@nestjs/core';",
    after: `@Module({ controllers: [InvoicesController] })
class AppModule {}
const app = await NestFactory.create(AppModule, { logger: false });
await app.listen(0, '127.0.0.1');
export const url = 'http://127.0.0.1:' + app.getHttpServer().address().port;
export const close = () => app.close();`,
  },
};

const NODE = `import { createTestKeyrail } from '@keyrail/sdk/testing';
const keyrail = await createTestKeyrail({ keys: [{ scopes: ['invoices:read'] }] });
export const keyText = keyrail.keys[0].key;
export const tenantId = keyrail.keys[0].tenantId;
export const stop = () => keyrail.close();`;

/** Writes a module to a folder below node_modules, so that its imports resolve, and imports it. */
async function imported(t: TestContext, parts: string[]): Promise<Record<string, unknown>> {
  const folder = join(root, 'node_modules', '.cache', `keyrail-code-${process.pid}`);
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  const { code } = await transform(parts.join('\n'), {
    loader: 'ts',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  });
  const file = join(folder, `${crypto.randomUUID()}.mjs`);
  await writeFile(file, code);
  return import(pathToFileURL(file).href);
}

const sdk = codeIn('packages/sdk/README.md');
const frameworkOf = ({ code }: Block): string => /@keyrail\/sdk\/(\w+)'/.exec(code)?.[1] ?? '';

test("the SDK's README has an example for each framework", () => {
  const shown = new Set(sdk.map(frameworkOf));
  deepEqual(
    Object.keys(programs).filter((name) => !shown.has(name)),
    [],
  );
});

for (const block of sdk.filter((one) => frameworkOf(one) in programs)) {
  const framework = frameworkOf(block);
  test(`${framework}: the example allows a request with a key and denies one without`, async (t) => {
    const { before = '', after = '' } = programs[framework] ?? {};
    const program = await imported(t, [NODE, before, block.code, after]);
    t.after(async () => {
      if (typeof program.close === 'function') await program.close();
      if (typeof program.stop === 'function') await program.stop();
    });
    const ask = async (headers: Record<string, string>): Promise<Response> => {
      const request = new Request(`${program.url ?? 'http://127.0.0.1'}/invoices`, { headers });
      return typeof program.serve === 'function' ? program.serve(request) : fetch(request);
    };
    const admitted = await ask({ authorization: `Bearer ${program.keyText}` });
    equal(admitted.status, 200);
    ok((await admitted.text()).includes(String(program.tenantId)));
    equal((await ask({})).status, 401);
  });
}

test('the client and the SDK work as their READMEs show, against a real server', async (t) => {
  const server = await (await deploy(t)).run();
  const founding = { name: 'Acme', slug: 'acme' };
  const { secret_key } = await server.as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', founding);
  const call = server.as(secret_key.key);
  const given = givenBy(call);
  const { id: project_id } = await given.project();
  const { id: tenant_id } = await given.tenant();
  const { id, key } = await given.key({
    project_id,
    tenant_id,
    env: 'live',
    scopes: ['invoices:read'],
  });
  const names = { project_id, tenant_id, id, keyText: key, url: server.url, projectId: project_id };
  /** Both packages must work with a secret key that has only the profile their README names. */
  const declaredWith = async (profile: 'backend' | 'node') => {
    const { key: secretKey } = await call('POST /v1/secret_keys', { env: 'live', profile });
    return Object.entries({ ...names, secretKey }).map(
      ([name, value]) => `const ${name} = ${JSON.stringify(value)};`,
    );
  };
  const client = codeIn('packages/client/README.md').map(({ code }) => code);
  const calls = await imported(t, [
    ...(await declaredWith('backend')),
    ...client.map((code) => code.replace('http://127.0.0.1:4400', server.url)),
    'export { created, rotated, found };',
  ]);
  match(JSON.stringify(calls.created), /"key":"kr_live_/);
  match(JSON.stringify(calls.rotated), new RegExp(`"rotated_from":"${id}"`));
  match(JSON.stringify(calls.found), new RegExp(`"id":"${id}"`));

  const starting = sdk.find(({ code }) => code.includes('await keyrail.ready()'));
  const verifying = sdk.find(({ code }) => code.includes('keyrail.verify(keyText, {'));
  const declared = await declaredWith('node');
  const node = await imported(t, [
    ...declared,
    starting?.code ?? '',
    verifying?.code ?? '',
    'await keyrail.close();\nexport { decision };',
  ]);
  deepEqual(Object(node.decision).allowed, true);

  for (const { code, place } of others) {
    const program = imported(t, [...declared, ...around(code)]);
    await doesNotReject(program, place);
  }
});

test('the example with jose verifies a receipt and rejects one that has been altered', async (t) => {
  const server = await (await deploy(t)).run();
  const founding = { name: 'Acme', slug: 'acme' };
  const { secret_key } = await server.as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', founding);
  const call = server.as(secret_key.key);
  const { id } = await givenBy(call).key();
  const { propagation } = await call('POST /v1/keys/{id}/revoke', { id, wait: true });
  const receipt = propagation?.receipt ?? '';
  const [block] = codeIn('docs/revoke.md');
  const jwks = await server.as(null)('GET /.well-known/jwks.json');
  const run = (text: string) =>
    imported(t, [
      `const receipt = ${JSON.stringify(text)};\nconst jwks = ${JSON.stringify(jwks)};`,
      block?.code ?? '',
      'export { claims };',
    ]);
  const { claims } = await run(receipt);
  deepEqual([Object(claims).key_id, Object(claims).change], [id, 'revoked']);
  await rejects(run(receipt.replace(/\.[^.]{4}/, '.AAAA')));
});

/**
 * Examples that send no request, so the test only runs them. Examples that create their own node
 * are left out here, because they are only compiled.
 */
const others = [
  ...sdk.filter(({ code }) => /createTestKeyrail\(|resources: \{/.test(code)),
  ...['docs/rate-limits.md', 'docs/idempotency.md']
    .flatMap(codeIn)
    .filter(({ code }) => !code.includes('createKeyrail(')),
];

/** The example, with the lines around it and the code that closes its node. */
function around(code: string): string[] {
  const close = 'await keyrail.close();';
  if (code.includes('createTestKeyrail(')) return [code];
  if (code.includes('createKeyrail(')) {
    const database = '{ query: async () => {} }';
    const given = `const liveDatabase = ${database};\nconst sandboxDatabase = ${database};`;
    return ["import { createKeyrail } from '@keyrail/sdk';", given, code, close];
  }
  const testNode = 'const keyrail = await createTestKeyrail();';
  const imports = "import { createTestKeyrail } from '@keyrail/sdk/testing';";
  return [imports, testNode, programs.express?.before ?? '', code, close];
}

test('the reference renders a document as its README shows', async (t) => {
  const [block] = codeIn('packages/reference/README.md');
  const { html } = await imported(t, [
    "const openApi = { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: {} };",
    block?.code ?? '',
    'export { html };',
  ]);
  match(String(html), /^<!doctype html>/);
});
