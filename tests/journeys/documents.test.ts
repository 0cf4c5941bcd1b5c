// Runs every shell command in the documents exactly as written. `npm start` runs in a folder that
// links to everything in the clone. The README comes first, and the other documents use the server
// that it has started.
import { deepEqual, equal, match } from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { unpackEmbeddedCopy } from '@keyrail/testing/database-copies.ts';
import { type Block, blocksOf, documents, root } from '@keyrail/testing/documents.ts';
import { freePort } from '@keyrail/testing/ports.ts';
import { inherited } from '@keyrail/testing/processes/environment.ts';
import { until } from '@keyrail/testing/until.ts';

const READY_MS_MAX = 60_000;
const FIRST = 'README.md';
/** This document is about installing a server, and production.test.ts runs its commands. */
const ELSEWHERE = 'docs/deploy.md';
const REFUSAL = '{"error":{';

/**
 * What a document's commands must print, in this order. Other documents' commands only have to
 * succeed.
 */
const printed: Record<string, RegExp[]> = {
  [FIRST]: [
    /"slug":"acme"/,
    /"env":"live","invoices":\[\]/,
    /complete: true,[^}]*acked_nodes: 1/,
    /"code":"invalid_key"/,
    /api_key\.revoked/,
    /"verified":true/,
    /Globex backend/,
  ],
  'docs/embed.md': [/"embed_origins":\["https:\/\/app\.example\.com"\]/, /"object":"list"/],
  'docs/idempotency.md': [/^([0-9a-f-]{36})\n\1$/m],
  'docs/revoke.md': [/complete: true/],
  'docs/secret-keys.md': [/permissions +node/, /"missing_permissions":\["keys:read"\]/],
  'docs/secret-scanning.md': [/^true$/m],
  'docs/security.md': [/entries, intact\./],
};
/** How many requests a document shows that are expected to be denied. */
const refusals: Record<string, number> = { [FIRST]: 1, 'docs/secret-keys.md': 1 };

/** A folder that links to everything in the clone but has its own data, for `npm start`. */
async function linkedClone(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kr-documents-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const names = (await readdir(root)).filter((name) => !/^\.(git|keyrail)$/.test(name));
  await Promise.all(names.map((name) => symlink(join(root, name), join(folder, name))));
  await unpackEmbeddedCopy(join(folder, '.keyrail', 'database'));
  await mkdir(join(folder, 'bin'));
  await symlink(join(root, 'packages/cli/bin/keyrail.js'), join(folder, 'bin', 'keyrail'));
  return folder;
}

type Started = { child: ChildProcess; output(): string };

function start(t: TestContext, words: string[], options: { cwd: string; env: object }): Started {
  const [command = '', ...rest] = words;
  const env = { ...inherited(), ...options.env };
  const child = spawn(command, rest, { cwd: options.cwd, env, detached: true });
  const closed = once(child, 'close');
  t.after(async () => {
    if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGTERM');
    await closed;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return { child, output: () => output };
}

/**
 * A shell script with all of a document's blocks. Before each block, it prints where the block is.
 */
const scriptOf = (blocks: Block[]): string =>
  blocks.map(({ place, code }) => `echo '@@ ${place}'\n${code}`).join('\n');

const PROGRAMS = ['bash', 'curl'];
const isMissing = (name: string): boolean => spawnSync(name, ['--version']).error !== undefined;
const missing = PROGRAMS.filter(isMissing).join(' and ');
const skip = missing !== '' && `needs ${missing}`;

test('every command in the documents works as written', { skip }, async (t) => {
  const folder = await linkedClone(t);
  const port = await freePort();
  const examplePort = await freePort();
  const env = { HOME: folder, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  const server = start(t, ['npm', 'start'], {
    cwd: folder,
    env: { ...env, KEYRAIL_PORT: String(port) },
  });
  const isReady = () => server.output().includes('"msg":"ready"');
  await until(() => isReady() || server.child.exitCode !== null, READY_MS_MAX);
  equal(isReady(), true, server.output());

  const commands = Map.groupBy(
    documents()
      .filter(({ path }) => path !== ELSEWHERE)
      .flatMap(blocksOf)
      .filter(({ language, notRun }) => language === 'sh' && !notRun),
    ({ document }) => document,
  );
  const script = [
    'set -euo pipefail; exec 2>&1',
    scriptOf(commands.get(FIRST) ?? []),
    ...[...commands].filter(([path]) => path !== FIRST).map(([, all]) => `(\n${scriptOf(all)}\n)`),
  ].join('\n');
  const here = script.replaceAll('4400', String(port)).replaceAll('3000', String(examplePort));
  const shell = start(t, ['bash', '-c', here], {
    cwd: folder,
    env: { ...env, PORT: String(examplePort) },
  });
  const [code] = await once(shell.child, 'close');
  equal(code, 0, shell.output());
  for (const [path, text] of outputs(shell.output())) {
    equal(text.split(REFUSAL).length - 1, refusals[path] ?? 0, `${path} refused:\n${text}`);
    let rest = text;
    for (const pattern of printed[path] ?? []) {
      match(rest, pattern, path);
      rest = rest.slice(rest.search(pattern) + 1);
    }
  }
  const ran = [...outputs(shell.output()).keys()];
  deepEqual(ran.toSorted(), [...commands.keys()].toSorted());
  t.diagnostic(`ran ${[...commands.values()].flat().length} blocks of ${ran.join(', ')}`);
});

/** Each document's output. */
function outputs(all: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of all.split(/^@@ /m).slice(1)) {
    const [, path = ''] = /^([^:]+):\d+\n/.exec(part) ?? [];
    found.set(path, `${found.get(path) ?? ''}${part}`);
  }
  return found;
}
