// The published packages, installed into separate projects, on the oldest supported Node.js version
// and on this one, as ESM and as CommonJS.
import { deepEqual, equal, match } from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  deadUrl,
  json,
  refusal,
  scriptedServer,
} from '../../packages/client/test/scripted-server.ts';
import {
  findNode20,
  install,
  names,
  noNode20,
  pack,
  root,
  runOn,
  temporaryFolder,
} from '../../scripts/packing.ts';

let folder = '';
let project = '';
after(() => rm(folder, { recursive: true, force: true }));
before(async () => {
  folder = await temporaryFolder();
  project = await install(await pack(names, folder), folder);
  for (const name of ['sdk', 'client']) {
    await mkdir(join(project, name));
    for (const file of ['smoke.mjs', 'smoke.cjs']) {
      await cp(join(root, 'packages', name, 'test', file), join(project, name, file));
    }
  }
});

const thisMajor = Number(process.versions.node.split('.')[0]);

const runtimes = [
  { major: thisMajor, find: async () => process.execPath },
  { major: 20, find: findNode20 },
];

test('the packages have no dependencies to install', async () => {
  const paths = await readdir(join(project, 'node_modules'), { recursive: true });
  const manifests = paths.filter((path) => /^[^.].*[^s]\/package\.json$/.test(path));
  deepEqual(manifests.sort(), names.map((name) => `@keyrail/${name}/package.json`).sort());
});

for (const { type, load } of [
  { type: 'module', load: "await import('@keyrail/widget')" },
  { type: 'commonjs', load: "require('@keyrail/widget')" },
]) {
  test(`the widget can be loaded on a server for rendering, as ${type}`, async () => {
    const code = `console.log(typeof (${load}).KeyrailKeysElement);`;
    const args = [`--input-type=${type}`, '-e', code];
    const ended = await runOn(process.execPath, args, project);
    deepEqual(ended, { code: 0, stdout: 'function\n', stderr: '' });
  });
}

test('on an edge runtime, the SDK throws an error that says why it cannot run there', async () => {
  const code = "import('@keyrail/sdk').then(({ createKeyrail }) => createKeyrail({}));";
  const { stderr } = await runOn(process.execPath, ['-C', 'edge-light', '-e', code], project);
  match(stderr, /TypeError: A node cannot run on an edge runtime: .*Keyrail Edge/);
});

test('with source maps, a stack trace points to the source line, in a file that the package contains', async () => {
  const code =
    "import('@keyrail/sdk').then(({ createKeyrail }) => createKeyrail({ url: 'ftp://x' }));";
  const args = ['--enable-source-maps', '-e', code];
  const { stderr } = await runOn(process.execPath, args, project);
  const [, file = '', line = ''] = /(\/[^:\s]*\/base-url\.ts):(\d+)/.exec(stderr) ?? [];
  match(file, /node_modules\/@keyrail\/sdk\/dist\/src\//, stderr);
  const lines = (await readFile(file, 'utf8')).split('\n');
  match(lines[Number(line) - 1] ?? '', /throw new TypeError\('url must start with/);
});

for (const { major, find } of runtimes) {
  for (const file of ['smoke.mjs', 'smoke.cjs']) {
    test(`the SDK works on Node.js ${major}: ${file}`, async (t) => {
      const node = await find();
      if (node === null) return t.skip(noNode20);
      const cache = join(project, `cache-${major}-${file}`);
      const ended = await runOn(node, [file, cache], join(project, 'sdk'));
      equal(ended.code, 0, ended.stderr);
      const { major: ranOn, admitted, after: verdict } = JSON.parse(ended.stdout);
      deepEqual([ranOn, admitted, verdict], [major, 'admitted', 'unknown_key']);
    });

    test(`the client works on Node.js ${major}: ${file}`, async (t) => {
      const node = await find();
      if (node === null) return t.skip(noNode20);
      const link = '</v1/environments?cursor=two>; rel="next"';
      const list = { object: 'list', data: [{ name: 'live' }] };
      const { url } = await scriptedServer(t, [
        refusal(503, 'unavailable'),
        json(list, { headers: { link } }),
        json(list),
        refusal(404, 'not_found', { 'x-request-id': 'r1' }),
      ]);
      const ended = await runOn(node, [file, url, await deadUrl()], join(project, 'client'));
      equal(ended.code, 0, ended.stderr);
      deepEqual(JSON.parse(ended.stdout), {
        major,
        pages: [['live'], ['live']],
        rejected: { name: 'KeyrailError', code: 'not_found', requestId: 'r1' },
        unreachable: 'connect',
        aborted: 'enough',
      });
    });
  }

  const places = {
    'installed from its package': () => join(project, 'node_modules/.bin/keyrail'),
    'in a clone': () => join(root, 'packages/cli/bin/keyrail.js'),
  };
  for (const [place, bin] of Object.entries(places)) {
    test(`the CLI works on Node.js ${major}, ${place}`, async (t) => {
      const node = await find();
      if (node === null) return t.skip(noNode20);
      const list = { object: 'list', data: [{ name: 'live', billable: true }] };
      const { url, seen } = await scriptedServer(t, [json(list)]);
      const keyrail = (...args: string[]) => runOn(node, [bin(), ...args], project);
      const version = await keyrail('--version');
      deepEqual(version, { code: 0, stdout: '0.1.0\n', stderr: '' });
      const call = await keyrail('api', 'GET', '/v1/environments', '--url', url);
      equal(call.code, 0, call.stderr);
      deepEqual(JSON.parse(call.stdout), list);
      match(seen[0]?.headers['user-agent'] ?? '', /^keyrail-cli\//);
      const wrong = await keyrail('keys', 'lst');
      equal(wrong.code, 2);
      match(wrong.stderr, /Did you mean list\?/);
    });
  }
}
