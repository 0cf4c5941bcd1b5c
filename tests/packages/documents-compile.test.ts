// Every code example in the documents compiles against the package.
import { equal, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..', '..');
const documents = ['packages/sdk/README.md', 'docs/integrate.md'];

/** Declarations for the names that an example uses but does not declare. */
const given: Record<string, string> = {
  url: 'declare const url: string;',
  secretKey: 'declare const secretKey: string;',
  projectId: 'declare const projectId: string;',
  keyText: 'declare const keyText: string;',
  liveDatabase: 'declare const liveDatabase: { query(text: string): Promise<void> };',
  sandboxDatabase: 'declare const sandboxDatabase: { query(text: string): Promise<void> };',
  server: "declare const server: import('node:http').Server;",
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
    .filter(([name]) => new RegExp(`\\b${name}\\b`).test(code) && !code.includes(`const ${name} `))
    .map(([, line]) => line);
  const isShared = /\bkeyrail[,.]/.test(code) && !/const keyrail /.test(code);
  if (isShared) lines.push("declare const keyrail: import('@keyrail/sdk').Keyrail;");
  if (code.includes('createKeyrail(') && !code.includes('import { createKeyrail')) {
    lines.push("import { createKeyrail } from '@keyrail/sdk';");
  }
  if (/\bapp\./.test(code)) lines.push(apps[framework] ?? apps.express ?? '');
  return `${lines.join('\n')}\n${code}\nexport {};\n`;
}

test('every code example in the documents compiles', async (t) => {
  // Below node_modules, so that imports resolve; with the process id, because runs may be parallel.
  const folder = join(root, 'node_modules', '.cache', `keyrail-readme-${process.pid}`);
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  let pieces = 0;
  for (const document of documents) {
    const text = await readFile(join(root, document), 'utf8');
    for (const [, code = ''] of text.matchAll(/```ts\n(.*?)```/gs)) {
      pieces += 1;
      await writeFile(join(folder, `piece-${pieces}.ts`), completed(code));
    }
  }
  ok(pieces > 10, 'found the examples');
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
