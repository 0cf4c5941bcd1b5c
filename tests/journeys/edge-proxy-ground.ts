// nginx and Caddy in front of an API, with the files in examples/edge. The tests replace only the
// ports, the socket and the API's protocol, and uncomment the lines that make the proxy fail open.
// Edge runs as the program that operators use.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '@keyrail/testing/ports.ts';
import { endProcess } from '@keyrail/testing/processes/end-process.ts';
import { inherited } from '@keyrail/testing/processes/environment.ts';
import {
  type ProxyProgram,
  replaced,
  startProxy,
  writeCaddy,
  writeNginx,
} from '@keyrail/testing/stores/proxies.ts';
import { until } from '@keyrail/testing/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const EDGE = join(ROOT, 'packages/edge/bin/keyrail-edge.js');
const SOCKET = '/run/keyrail-edge/edge.sock';
export const WAIT_MS_MAX = 60_000;

export const example = (name: string): string =>
  readFileSync(join(ROOT, 'examples/edge', name), 'utf8');

/** `api` is a host and a port. */
type Front = { api: string; socket: string; failsOpen: boolean; isFastCgi?: boolean };
type Place = Front & { directory: string; port: number };

/** Writes the configuration, and returns the program's command-line arguments. */
const configure: Record<ProxyProgram, (place: Place) => string[]> = {
  nginx({ directory, port, api, socket, failsOpen, isFastCgi = false }) {
    const site = replaced(example('nginx.conf'), [
      ['listen 8080;', `listen 127.0.0.1:${port};`],
      ['127.0.0.1:3000', api],
      [SOCKET, socket],
      ['#error_page 502 504', failsOpen ? 'error_page 502 504' : '#error_page 502 504'],
    ]);
    return writeNginx(directory, isFastCgi ? withFastCgi(site, api) : site);
  },
  caddy({ directory, port, api, socket, failsOpen, isFastCgi = false }) {
    const backend = isFastCgi ? `${api} {\ntransport fastcgi\n}` : api;
    const site = replaced(example('Caddyfile'), [
      [':8080', `http://:${port}`],
      ['\t\treverse_proxy 127.0.0.1:3000', `reverse_proxy ${backend}`],
      ['127.0.0.1:3000', api],
      [SOCKET, socket],
    ]);
    // A "#" without a space after it marks a line of configuration to uncomment for failing open.
    const chosen = failsOpen ? site.replaceAll(/^\t#(?! )/gm, '\t') : site;
    return writeCaddy(directory, ['auto_https off', 'default_bind 127.0.0.1'], chosen);
  },
};

/** Forwards over FastCGI instead of HTTP, as a comment in the example describes. */
const withFastCgi = (site: string, api: string): string =>
  replaced(site, [[`proxy_pass http://${api}`, `fastcgi_pass ${api}`]]).replaceAll(
    /proxy_set_header (X-Keyrail-[\w-]+)/g,
    (_, name: string) => `fastcgi_param HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
  );

export type Headers = Record<string, string | string[] | undefined>;
type Answered = { status: number; headers: Headers; text: string };

export const ask = (
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port, path, headers, agent: false };
    const sent = request(to, async (response) => {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
    sent.on('error', reject).end();
  });

export async function openProxy(
  t: TestContext,
  program: ProxyProgram,
  front: Front,
): Promise<number> {
  const port = await freePort();
  await startProxy(t, program, {
    configure: (directory) => configure[program]({ ...front, directory, port }),
    request: () => ask(port, '/', {}),
  });
  return port;
}

/** A path for Edge's socket. */
export function socketPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'kr-edge-socket-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'edge.sock');
}

export async function startEdge(
  t: TestContext,
  settings: Record<string, string>,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [EDGE], {
    env: { ...inherited(), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => endProcess(child));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await until(() => said.includes('is listening on'), WAIT_MS_MAX);
  return child;
}
