// A vendor's API in its own process: one of the examples, run the way a reader would run it.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { inherited } from '@keyrail/testing/processes/environment.ts';
import { until } from '@keyrail/testing/until.ts';

export type Vendor = {
  url: string;
  get(key: string | null): Promise<Response>;
  /** Makes a charge, with an idempotency key unless it is null. */
  charge(key: string, idempotencyKey: string | null, amount?: number): Promise<Response>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
};

const root = join(import.meta.dirname, '..', '..');

export type VendorSettings = {
  KEYRAIL_URL: string;
  KEYRAIL_SECRET_KEY: string;
  KEYRAIL_PROJECT_ID: string;
};

/** Starts an example. If it is still running when the test ends, it is killed. */
export async function startVendor(
  t: TestContext,
  file: string,
  settings: VendorSettings,
): Promise<Vendor> {
  const child = spawn(process.execPath, ['--conditions=keyrail-source', file], {
    cwd: root,
    env: { ...inherited(), PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  t.after(() => void child.kill('SIGKILL'));
  const urlIn = () => /listening on (\S+)/.exec(printed)?.[1];
  await until(() => urlIn() !== undefined || child.exitCode !== null);
  const url = urlIn();
  if (url === undefined) throw new Error(`${file} exited with ${child.exitCode}: ${printed}`);
  return vendorAt(url, child);
}

function vendorAt(url: string, child: ChildProcess): Vendor {
  return {
    url,
    get: (key) =>
      fetch(`${url}/invoices`, { headers: key ? { authorization: `Bearer ${key}` } : {} }),
    charge: (key, idempotencyKey, amount = 1) =>
      fetch(`${url}/charges`, {
        method: 'POST',
        headers: {
          'x-api-key': key,
          'content-type': 'application/json',
          ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
        },
        body: JSON.stringify({ amount }),
      }),
    stop: async () => {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      const [code] = await ended;
      return code;
    },
  };
}

/**
 * Compiles the Nest example, which uses decorators, into a place where its packages can be
 * resolved.
 */
export async function compileNest(t: TestContext): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', `keyrail-nest-${process.pid}`);
  t.after(() => rm(folder, { recursive: true, force: true }));
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const project = join(root, 'examples', 'nest', 'tsconfig.json');
  await promisify(execFile)(tsc, ['-p', project, '--outDir', folder]);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  return join(folder, 'nest', 'main.js');
}
