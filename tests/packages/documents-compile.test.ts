// Every TypeScript and JavaScript example in the documents compiles against the packages.
import { equal, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type Block, blocksOf, documents, root } from '@keyrail/testing/documents.ts';

const text = (name: string): string => `declare const ${name}: string;`;

/** Declarations for names that an example uses but doesn't declare. */
const given: Record<string, string> = {
  url: text('url'),
  token: text('token'),
  secretKey: text('secretKey'),
  projectId: text('projectId'),
  keyText: text('keyText'),
  project_id: text('project_id'),
  tenant_id: text('tenant_id'),
  id: text('id'),
  receipt: text('receipt'),
  jwks: 'declare const jwks: { keys: (import("jose").JWK & { purpose: string })[] };',
  liveDatabase: 'declare const liveDatabase: { query(text: string): Promise<void> };',
  sandboxDatabase: 'declare const sandboxDatabase: { query(text: string): Promise<void> };',
  server: "declare const server: import('node:http').Server;",
  openApi: "declare const openApi: import('@keyrail/protocol/json-schema.ts').JsonObject;",
  client: "declare const client: import('@keyrail/client').Client;",
};

const apps: Record<string, string> = {
  express: "import express from 'express';\nconst app = express();",
  fastify: "import fastify from 'fastify';\nconst app = fastify();",
  hono: "import { Hono } from 'hono';\nconst app = new Hono();",
  koa: "import Koa from 'koa';\nconst app = new Koa();",
};

function completed(code: string): string {
  const [, framework = ''] = /@keyrail\/sdk\/(\w+)/.exec(code) ?? [];
  const lines = Object.entries(given)
    .filter(([name]) => uses(code, name) && !code.includes(`const ${name} `))
    .map(([, line]) => line);
  const isShared = /\bkeyrail[,.]/.test(code) && !/const keyrail /.test(code);
  if (isShared) lines.push("declare const keyrail: import('@keyrail/sdk').Keyrail;");
  if (code.includes('createKeyrail(') && !code.includes('import { createKeyrail')) {
    lines.push("import { createKeyrail } from '@keyrail/sdk';");
  }
  if (/\bapp\./.test(code)) lines.push(apps[framework] ?? apps.express ?? '');
  return `${lines.join('\n')}\n${code}\nexport {};\n`;
}

const uses = (code: string, name: string): boolean =>
  new RegExp(`(?<!\\.)\\b${name}\\b`).test(code);

const isCode = ({ language, notRun }: Block): boolean => /^[tj]s$/.test(language) && !notRun;

test('every code example in the documents compiles', async (t) => {
  // The folder is below node_modules, so that imports resolve, and its name contains the process
  // ID, so that several runs can be parallel.
  const folder = join(root, 'node_modules', '.cache', `keyrail-documents-${process.pid}`);
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  const examples = documents().flatMap(blocksOf).filter(isCode);
  ok(examples.length > 10, 'found the examples');
  for (const { place, code } of examples) {
    await writeFile(join(folder, `${place.replaceAll(/\W/g, '-')}.ts`), completed(code));
  }
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { experimentalDecorators: true, types: ['node'] },
    include: ['*.ts'],
    exclude: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const said = await promisify(execFile)(tsc, ['-p', folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }) => String(stdout),
  );
  equal(said, '');
});
