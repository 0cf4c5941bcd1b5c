// Compares Keyrail Edge with bare node:http programs. For forward authentication, both run behind
// nginx, configured as in examples/edge except for the socket. Verification requests are sent
// without a proxy.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@keyrail/testing/ports.ts';
import { proxyIsMissing, writeNginx } from '@keyrail/testing/stores/proxies.ts';
import { until } from '@keyrail/testing/until.ts';
import { underLoad } from './load/contestants.ts';
import { openLoadGenerator } from './load/load-generator.ts';
import { openServer, type Server, startProgram } from './load/programs.ts';
import { getRequest, requestText } from './load/requests.ts';
import { withCleanup } from './measure/cleanup.ts';
import { compareRates } from './measure/compare.ts';
import { atLeast } from './measure/goal.ts';
import { type Run, roundsOf } from './measure/plan.ts';
import { runRounds } from './measure/rounds.ts';
import { openPostgres, scratchDirectory, startOnPostgres } from './setup/keyrail.ts';
import { createProject } from './setup/projects.ts';
import { createWorkspace } from './setup/workspaces.ts';

const ROOT = join(import.meta.dirname, '..');
const SCOPES = ['invoices:read'];
const AUTHENTICATION_MIN = 0.8;
const VERIFICATION_MIN = 0.85;
const READY_MS_MAX = 20_000;
/** Keeps connections open, because by default, nginx closes each one after a thousand requests. */
const KEPT_CONNECTIONS = 'keepalive_requests 100000000;\n';

type Name = 'edge' | 'bare';

export async function measureEdge({ plan, report }: Run): Promise<void> {
  const missing = proxyIsMissing('nginx');
  if (missing !== null) throw new Error(missing);
  await withCleanup(async (stopAtEnd) => {
    const scratch = scratchDirectory();
    stopAtEnd({ stop: async () => scratch.remove() });
    const store = stopAtEnd(await openPostgres());
    const keyrail = stopAtEnd(await startOnPostgres(store.url));
    const { token, call } = await createWorkspace(keyrail, 'edge');
    const { projectId, tenantId } = await createProject(call);
    const body = { project_id: projectId, tenant_id: tenantId, env: 'live', scopes: SCOPES };
    const { key } = await call('POST', '/v1/keys', body);
    const sockets = {
      edge: join(scratch.path, 'edge.sock'),
      bare: join(scratch.path, 'bare.sock'),
    };
    const settings = {
      KEYRAIL_URL: `http://127.0.0.1:${keyrail.port}`,
      KEYRAIL_SECRET_KEY: token,
      KEYRAIL_PROJECT_ID: projectId,
    };
    const callers: Record<Name, Server> = {
      edge: stopAtEnd(await startEdge(settings, sockets.edge)),
      bare: stopAtEnd(
        await openServer('peers/bare-auth-server.ts', { BENCH_SOCKET: sockets.bare }),
      ),
    };
    const generator = stopAtEnd(await openLoadGenerator());
    const proxied = async (name: Name) => {
      const server = await startNginx(join(scratch.path, name), sockets[name]);
      const request = getRequest('/', String(key));
      return underLoad<Name>(generator, { name, server: stopAtEnd(server), request });
    };
    const authenticated = await runRounds<Name>(roundsOf(plan), [
      await proxied('edge'),
      await proxied('bare'),
    ]);
    report(
      compareRates(authenticated, {
        name: 'edge: nginx with auth_request',
        ours: 'edge',
        peer: 'bare',
        label: 'a program that always allows',
        goal: atLeast(AUTHENTICATION_MIN),
      }),
    );
    const question = { key, scopes: SCOPES };
    const request = requestText({ method: 'POST', path: '/v1/verify', body: question });
    const called = (name: Name) =>
      underLoad<Name>(generator, { name, server: callers[name], request });
    report(
      compareRates(await runRounds<Name>(roundsOf(plan), [called('edge'), called('bare')]), {
        name: 'edge: POST /v1/verify',
        ours: 'edge',
        peer: 'bare',
        label: 'an echo of the JSON',
        goal: atLeast(VERIFICATION_MIN),
      }),
    );
  });
}

async function startEdge(settings: Record<string, string>, socket: string): Promise<Server> {
  const port = await freePort();
  const program = startProgram([join(ROOT, 'packages/edge/bin/keyrail-edge.js')], {
    ...settings,
    KEYRAIL_EDGE_LISTEN: `unix:${socket},127.0.0.1:${port}`,
  });
  await until(() => responds(port, '/readyz'), READY_MS_MAX);
  return { ...program, port };
}

/** nginx also stands in for the API, so that authentication accounts for most of the work. */
async function startNginx(directory: string, socket: string): Promise<Server> {
  mkdirSync(directory);
  const port = await freePort();
  const api = await freePort();
  const site = readFileSync(join(ROOT, 'examples/edge/nginx.conf'), 'utf8')
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('127.0.0.1:3000', `127.0.0.1:${api}`)
    .replace('/run/keyrail-edge/edge.sock', socket);
  const words = writeNginx(
    directory,
    `${KEPT_CONNECTIONS}${site}\nserver { listen 127.0.0.1:${api}; location / { return 200 "ok"; } }`,
  );
  const child = spawn('nginx', words, { stdio: ['ignore', 'ignore', 'inherit'] });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  await until(() => responds(api, '/'), READY_MS_MAX);
  return {
    pid: child.pid ?? 0,
    port,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stop: async () => {
      const exited = once(child, 'exit');
      end();
      await exited;
      process.off('exit', end);
    },
  };
}

const responds = (port: number, path: string): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    ({ status }) => status === 200,
    () => false,
  );
