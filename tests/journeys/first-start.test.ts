// Tests the first start in a fresh clone, on a machine whose own Node.js can run the server. The
// installation is real, without development dependencies or the pinned Node.js. The test then runs
// the first example in the README, and starts the larger installation that `npm run build` needs.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { copyTree, PATH, runCommand } from './production.ts';

/** An installation takes a long time on a busy machine. */
const MS_MAX = 230_000;

type Clone = { folder: string; env: Record<string, string> };

async function freshClone(t: TestContext): Promise<Clone> {
  const place = await mkdtemp(join(tmpdir(), 'kr-first-start-'));
  t.after(() => rm(place, { recursive: true, force: true }));
  const folder = join(place, 'clone');
  const programs = join(place, 'bin');
  await Promise.all([copyTree(folder), mkdir(programs)]);
  // Puts the Node.js that runs this test first on the clone's PATH.
  await symlink(process.execPath, join(programs, 'node'));
  const env = { PATH: `${programs}:${PATH}`, HOME: homedir(), npm_config_prefer_offline: 'true' };
  return { folder, env };
}

type Created = { id: string; key?: string; secret_key?: { key: string } };

async function post(url: string, token: string, body: object): Promise<Created> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  equal(response.status, 201, url);
  return response.json() as Promise<Created>;
}

/** Creates everything that the README creates; returns its example's settings, and the key. */
async function vendorOf(url: string, { folder, env }: Clone) {
  const bootstrap = (await readFile(join(folder, '.keyrail/bootstrap-token'), 'utf8')).trim();
  const workspace = await post(`${url}/v1/workspaces`, bootstrap, { name: 'Acme', slug: 'acme' });
  const secret = workspace.secret_key?.key ?? '';
  const project = await post(`${url}/v1/projects`, secret, { name: 'Billing', slug: 'billing' });
  const tenant = await post(`${url}/v1/tenants`, secret, { external_id: 'c', name: 'Globex' });
  const { key = '' } = await post(`${url}/v1/keys`, secret, {
    project_id: project.id,
    tenant_id: tenant.id,
    env: 'live',
    name: 'Globex backend',
    scopes: ['invoices:read'],
  });
  const settings = { KEYRAIL_URL: url, KEYRAIL_SECRET_KEY: secret, KEYRAIL_PROJECT_ID: project.id };
  return { key, env: { ...env, ...settings, PORT: '0' } };
}

/** Runs `npm run example`, and calls it once with a tenant's key. */
async function runExample(url: string, clone: Clone): Promise<void> {
  const { key, env } = await vendorOf(url, clone);
  let called: Promise<Response> | undefined;
  const { output } = await runCommand(
    ['npm', 'run', 'example'],
    { cwd: clone.folder, env },
    (text, stop) => {
      const own = /listening on (http:\S+)/.exec(text)?.[1];
      if (own === undefined) return;
      const headers = { authorization: `Bearer ${key}` };
      called ??= fetch(`${own}/invoices`, { headers }).finally(stop);
    },
  );
  ok(called, output);
  deepEqual(await (await called).json(), { env: 'live', invoices: [] }, output);
}

/** Installed packages, as npm lists them. */
async function installedIn({ folder }: Clone): Promise<[string, { dev?: boolean }][]> {
  const list = await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8');
  return Object.entries(JSON.parse(list).packages);
}

const NPM = { PATH, HOME: homedir() };
const isReachable = spawnSync('npm', ['ping'], { env: NPM, cwd: tmpdir() }).status === 0;
const skip = !isReachable && 'the npm registry cannot be reached';
if (skip) console.error(`The first start is not tested: ${skip}`);

test('npm start in a fresh clone installs what the server needs, says so, and serves', {
  skip,
  timeout: MS_MAX,
}, async (t) => {
  const clone = await freshClone(t);
  const { folder: cwd, env } = clone;
  let used: Promise<void> | undefined;
  const use = async (url: string): Promise<void> => {
    equal((await fetch(url)).headers.get('content-type'), 'text/html; charset=utf-8');
    await runExample(url, clone);
  };
  const { code, output } = await runCommand(
    ['npm', 'start'],
    { cwd, env: { ...env, KEYRAIL_PORT: '0' } },
    (text, stop) => {
      const url = /"url":"([^"]+)".*"msg":"ready"/.exec(text)?.[1];
      if (url !== undefined) used ??= use(url).finally(stop);
    },
  );
  ok(used, output);
  await used;
  equal(code, 0, output);
  const said = [
    /^keyrail: installing dependencies \(about 135 MB, only once\)$/m,
    /^keyrail: building the server$/m,
    /^keyrail: building the dashboard$/m,
    /^keyrail: creating the empty database$/m,
    /^\{.*"msg":"ready"\}$/m,
    /^ {2}Email +\S/m,
    /^ {4}curl -s http:\/\/127\.0\.0\.1:\d+\/v1\/workspaces /m,
    /^ {2}Open http:\/\/127\.0\.0\.1:\d+ in a browser$/m,
  ].map((pattern) => output.search(pattern));
  deepEqual(
    said,
    said.toSorted((one, other) => one - other),
    output,
  );
  ok(!said.includes(-1), output);

  const installed = await installedIn(clone);
  deepEqual(
    installed.filter(([path, { dev }]) => dev || /node-linux|typescript/.test(path)),
    [],
  );

  const next = await runCommand(['npm', 'run', 'build'], { cwd, env }, (text, stop) => {
    if (text.includes('installing dependencies')) stop();
  });
  match(next.output, /^keyrail: installing dependencies \(about 560 MB, only once\)$/m);
});
