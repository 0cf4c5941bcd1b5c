// The Next.js example with Next.js from the npm registry: it is built without settings or a control
// plane, and responds to its first request. The full run tests the latest major version, and `npm
// run release-check` tests all of MAJORS.
import { deepEqual, equal, match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { givenBy } from '@keyrail/testing/fixtures.ts';
import { inherited } from '@keyrail/testing/processes/environment.ts';
import { until } from '@keyrail/testing/until.ts';
import { npm, pack, root, temporaryFolder } from '../../scripts/packing.ts';
import { BOOTSTRAP_TOKEN, deploy, signalGroup } from '../journeys/deployment.ts';

const MAJORS: Record<string, Record<string, string>> = {
  14: { next: '14.2.35', react: '18.3.1', 'react-dom': '18.3.1', '@types/react': '18.3.8' },
  15: { next: '15.5.29', react: '19.3.1', 'react-dom': '19.3.1', '@types/react': '19.3.0' },
  16: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1', '@types/react': '19.3.0' },
};
const TOOLS = { typescript: '5.9.3', '@types/node': '24.19.2' };
const NEXT_MS_MAX = 220_000;

const wanted = (process.env.KEYRAIL_TEST_NEXT ?? '16').split(',');

for (const major of wanted) {
  test(`Next.js ${major} builds the example, and the example serves its first request`, {
    timeout: NEXT_MS_MAX,
  }, async (t) => {
    const place = await temporaryFolder();
    t.after(() => rm(place, { recursive: true, force: true }));
    // Turbopack ignores lock files outside the home directory.
    const folder = join(place, 'project');
    await mkdir(folder);
    const missing = await installNext(folder, major);
    if (missing) return t.skip(missing);
    await buildsAlone(t, folder);
    await serves(t, folder);
  });
}

/**
 * A route that may be called before its node has loaded a policy, because it doesn't wait for the
 * node.
 */
const LATER = `import { createKeyrail } from '@keyrail/sdk';
import { protect } from '@keyrail/sdk/next';

const { LATER_URL: url = 'UNUSED', LATER_SECRET_KEY: secretKey = 'SECRET' } = process.env;
const { KEYRAIL_PROJECT_ID: projectId = crypto.randomUUID() } = process.env;
const node = createKeyrail({ url, secretKey, projectId, nodeName: 'later' });

export const GET = protect(node, { name: '/later/:id' }, async (_request, { params, keyrail }) =>
  Response.json({ id: (await params).id, tenant: keyrail.tenantId }),
);
`;

/**
 * Installs a project's packages and adds the example in its `next` folder. On failure, returns why.
 */
async function installNext(folder: string, major: string): Promise<string | null> {
  const packed = await pack(['sdk'], folder);
  const dependencies: Record<string, string> = { ...MAJORS[major], ...TOOLS };
  for (const { tarball } of packed) dependencies['@keyrail/sdk'] = `file:${tarball}`;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
  const failure = await npm(['install', ...flags], folder).then(
    () => null,
    (error) => `npm cannot install Next.js ${major}: ${error.stderr || error.message}`,
  );
  const app = join(folder, 'next');
  await cp(join(root, 'examples/next'), app, {
    recursive: true,
    filter: (path) => !path.endsWith('serve.ts'),
  });
  await cp(join(root, 'examples/ledger.ts'), join(folder, 'ledger.ts'));
  const experimental = { externalDir: true, ...(major === '14' && { instrumentationHook: true }) };
  const config = `export default ${JSON.stringify({ experimental })};\n`;
  await writeFile(join(app, 'next.config.mjs'), config);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    lib: ['dom', 'esnext'],
    types: ['node'],
  };
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await writeFile(
    join(app, 'app/layout.tsx'),
    'export default ({ children }: any) => <html><body>{children}</body></html>;\n',
  );
  return failure;
}

/** Runs Next.js in its own process group, because its workers survive when it is killed. */
const nextProgram = (folder: string, words: readonly string[], settings: object) =>
  spawn(process.execPath, [join(folder, 'node_modules/next/dist/bin/next'), ...words], {
    cwd: join(folder, 'next'),
    env: {
      ...inherited(),
      HOME: join(folder, '../home'),
      NEXT_TELEMETRY_DISABLED: '1',
      CI: '1',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });

type Program = ReturnType<typeof nextProgram>;

/** Collects what a program prints; returns a function that returns the text so far. */
function printedBy(program: Program): () => string {
  let text = '';
  for (const stream of [program.stdout, program.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  return () => text;
}

/**
 * Builds without environment settings. A node that is configured in code doesn't connect during the
 * build either.
 */
async function buildsAlone(t: TestContext, folder: string): Promise<void> {
  const called: string[] = [];
  const plane = createServer(({ url = '' }, response) => {
    called.push(url);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(plane, 'listening');
  t.after(() => plane.close());
  const url = `http://127.0.0.1:${(plane.address() as AddressInfo).port}`;
  const { secret } = mintCredential('secret_key', 'live', randomBytes);
  await mkdir(join(folder, 'next/app/later/[id]'), { recursive: true });
  const route = LATER.replace("'UNUSED'", `'${url}'`).replace("'SECRET'", `'${secret}'`);
  await writeFile(join(folder, 'next/app/later/[id]/route.ts'), route);
  const build = nextProgram(folder, ['build'], {});
  t.after(() => signalGroup(build, 'SIGKILL'));
  const printed = printedBy(build);
  const [code] = await once(build, 'close');
  equal(code, 0, printed());
  deepEqual(called, []);
}

/** Serves the example. Neither route may respond to its first request with a 503. */
async function serves(t: TestContext, folder: string): Promise<void> {
  const server = await (await deploy(t)).run();
  const found = { name: 'Acme', slug: 'acme' };
  const founded = await server.as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', found);
  const call = server.as(founded.secret_key.key);
  const { project_id, tenant_id, key } = await givenBy(call).key({
    scopes: ['invoices:read', 'charges:write'],
  });
  const secretKey = founded.secret_key.key;
  const app = nextProgram(folder, ['start', '-p', '0', '-H', '127.0.0.1'], {
    KEYRAIL_URL: server.url,
    KEYRAIL_SECRET_KEY: secretKey,
    KEYRAIL_PROJECT_ID: project_id,
    LATER_URL: server.url,
    LATER_SECRET_KEY: secretKey,
  });
  t.after(() => signalGroup(app, 'SIGKILL'));
  const printed = printedBy(app);
  await until(() => /Ready in/.test(printed()) || app.exitCode !== null, 60_000);
  const [, url = ''] = /Local: +(http:\S+)/.exec(printed()) ?? [];
  match(url, /^http/, printed());
  const ask = async (path: string, headers: Record<string, string> = { 'x-api-key': key }) => {
    const response = await fetch(`${url}${path}`, { headers });
    return { status: response.status, body: await response.json() };
  };
  deepEqual(await ask('/invoices'), { status: 200, body: { env: 'live', invoices: [] } });
  deepEqual(await ask('/later/7'), { status: 200, body: { id: '7', tenant: tenant_id } });
  equal((await ask('/invoices', {})).status, 401, 'no response was rendered during the build');
  const charged = async () => {
    const response = await fetch(`${url}/charges`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'idempotency-key': 'one' },
      body: '{"amount":42}',
    });
    return [response.status, response.headers.get('idempotency-replayed')];
  };
  deepEqual(await charged(), [201, null]);
  deepEqual(await charged(), [201, 'true']);
  const { data } = await call('GET /v1/policy/nodes', { project_id });
  const names = data.map(({ node_id }) => node_id.split(':')[0]);
  deepEqual([names.length, names.includes('later')], [2, true], 'one node of each kind');
}
