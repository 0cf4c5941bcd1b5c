/** Runs this machine's nginx and Caddy, or installs the distribution's if permitted. */
import { notEqual } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { endProcess } from '../processes/end-process.ts';
import { until } from '../until.ts';
import { installFromDistribution } from './distribution.ts';

export type ProxyProgram = 'nginx' | 'caddy';

const packages: Record<ProxyProgram, { name: string; version: string }> = {
  nginx: { name: 'nginx-light', version: '-v' },
  caddy: { name: 'caddy', version: 'version' },
};

/** Why the program is missing; null if it is installed. */
export function proxyIsMissing(program: ProxyProgram): string | null {
  const { name, version } = packages[program];
  const runs = () => spawnSync(program, [version], { stdio: 'ignore' }).status === 0;
  if (runs()) return null;
  const refusal = installFromDistribution(name);
  return runs() ? null : `no ${program}: ${refusal ?? 'none was installed'}`;
}

/** Writes a single-process configuration for a site, and returns nginx's arguments. */
export function writeNginx(directory: string, site: string): string[] {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${directory}/${kind};`,
  );
  const around = [
    'daemon off;\nmaster_process off;',
    `pid ${directory}/pid;`,
    `events {}\nhttp { access_log off; ${temporary.join(' ')}\n${site}\n}`,
  ];
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, around.join('\n'));
  return ['-e', 'stderr', '-c', file, '-p', directory];
}

/** Writes a configuration with a site and global options, and returns Caddy's arguments. */
export function writeCaddy(directory: string, options: readonly string[], site: string): string[] {
  const all = ['admin off', ...options, `storage file_system ${directory}/storage`].join('\n');
  const file = join(directory, 'Caddyfile');
  // A file may have only one block of global options.
  const hasOptions = /^\{$/m.test(site);
  writeFileSync(file, hasOptions ? site.replace(/^\{$/m, `{\n${all}`) : `{\n${all}\n}\n${site}`);
  return ['run', '--config', file, '--adapter', 'caddyfile'];
}

/** An example with some values replaced. Throws if a value to be replaced isn't found. */
export const replaced = (text: string, changes: readonly (readonly [string, string])[]): string =>
  changes.reduce((changed, [from, to]) => {
    notEqual(changed.indexOf(from), -1, `the example contains ${from}`);
    return changed.replaceAll(from, to);
  }, text);

type ProxyRun = {
  /** Writes the configuration, and returns the program's arguments. */
  configure(directory: string): string[];
  /** Sends a request through the proxy, which fails until the proxy is listening. */
  request(): Promise<unknown>;
};

/** Runs a proxy until the test ends. */
export async function startProxy(
  t: TestContext,
  program: ProxyProgram,
  { configure, request }: ProxyRun,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'kr-proxy-'));
  const child = spawn(program, configure(directory), {
    env: { ...process.env, HOME: directory, XDG_DATA_HOME: directory },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  t.after(async () => {
    await endProcess(child);
    rmSync(directory, { recursive: true, force: true });
  });
  const isUp = () =>
    request().then(
      () => true,
      () => false,
    );
  await until(isUp).catch((cause: unknown) => {
    throw new Error(`${program} is not responding: ${said}`, { cause });
  });
}
