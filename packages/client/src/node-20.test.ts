// The compiled package on the oldest runtime that it promises to run on, without any dependency.
import { deepEqual, equal } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { deadUrl, json, refusal, scriptedServer } from '../test/scripted-server.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const bin = join(root, '..', '..', 'node_modules', '.bin');

async function findNode20(): Promise<string | null> {
  const places = [process.env.KEYRAIL_TEST_NODE20, '/usr/local/bin/node', '/usr/bin/node'];
  for (const path of places) {
    if (!path) continue;
    const version = await run(path, ['--version']).then(
      ({ stdout }) => stdout,
      () => '',
    );
    if (version.startsWith('v20.')) return path;
  }
  return null;
}

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyrail-client-'));
  await run(join(bin, 'tsc'), ['-p', join(root, 'tsconfig.build.json'), '--outDir', folder]);
});
after(() => rm(folder, { recursive: true, force: true }));

test('the compiled client imports nothing but itself and needs nothing of Node', async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  equal(files.includes('client.js'), true);
  for (const file of files) {
    const code = await readFile(join(folder, file), 'utf8');
    const foreign = [...code.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)/g)]
      .map(([, specifier = '']) => specifier)
      .filter((specifier) => !/^\.\/[\w-]+\.js$/.test(specifier));
    deepEqual(foreign, [], file);
    equal(/\bprocess\.|\bBuffer\b|\brequire\(|\bglobal\b|\b__dirname\b/.test(code), false, file);
  }
});

test('the compiled client works on Node 20', async (t) => {
  const node = await findNode20();
  if (node === null) return t.skip('no Node 20 on this machine: set KEYRAIL_TEST_NODE20');
  await cp(join(root, 'test', 'smoke.mjs'), join(folder, 'smoke.mjs'));
  const link = '</v1/environments?cursor=two>; rel="next"';
  const list = { object: 'list', data: [{ name: 'live' }] };
  const { url } = await scriptedServer(t, [
    refusal(503, 'unavailable'),
    json(list, { headers: { link } }),
    json(list),
    refusal(404, 'not_found', { 'x-request-id': 'r1' }),
  ]);
  const { stdout } = await run(node, [join(folder, 'smoke.mjs'), url, await deadUrl()]);
  deepEqual(JSON.parse(stdout), {
    major: 20,
    pages: [['live'], ['live']],
    refused: { name: 'KeyrailError', code: 'not_found', requestId: 'r1' },
    unreachable: 'connect',
    aborted: 'enough',
  });
});
