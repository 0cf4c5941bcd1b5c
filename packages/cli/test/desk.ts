// A person at a desk: a home directory of their own, the real program, and the real server behind
// it. Nothing of the machine's own settings or profiles is seen.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { type Bench, bench } from '../../../tests/bench.ts';
import { inherited } from '../../../tests/processes/environment.ts';
import { world } from '../../../tests/world.ts';
import { run } from '../src/run.ts';

export const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts');

export type Ran = { code: number | null; stdout: string; stderr: string };

export type Run = {
  env?: Record<string, string>;
  /** What stdin holds; it is empty otherwise. */
  input?: string;
};

/** Runs `keyrail` with these words, split at blanks unless given as a list. */
export type Keyrail = (words: string | string[], run?: Run) => Promise<Ran>;

export async function home(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'keyrail-home-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

export function keyrailIn(homePath: string, fixed: Record<string, string>): Keyrail {
  return async (words, { env = {}, input = '' } = {}) => {
    const args = typeof words === 'string' ? words.split(' ') : words;
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...inherited(), HOME: homePath, ...fixed, ...env },
    });
    const ran: Ran = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      ran.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      ran.stderr += text;
    });
    // A program that does not read its input closes it early.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [code] = await once(child, 'close');
    return { ...ran, code };
  };
}

/** The same without a program of its own: for many words in little time. */
export const keyrailHere = (homePath: string, fixed: Record<string, string>): Keyrail => {
  return async (words, { env = {}, input = '' } = {}) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const code = await run(typeof words === 'string' ? words.split(' ') : words, {
      env: { ...fixed, ...env },
      stdin: Readable.from([input]),
      stdout,
      stderr,
      home: homePath,
      now: () => new Date(performance.timeOrigin + performance.now()),
    });
    return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
  };
};

let listening: Promise<string> | undefined;

/** The address of the file's server; it listens from the first question on. */
export function serverUrl(): Promise<string> {
  listening ??= world().then(({ app }) => app.http.listen({ port: 0, host: '127.0.0.1' }));
  return listening;
}

export type Desk = Bench & {
  url: string;
  home: string;
  /** The program as it ships. */
  keyrail: Keyrail;
  /** The same commands in this process, many times faster. */
  here: Keyrail;
};

/** With the live key of a fresh workspace in the environment. */
export async function desk(t: TestContext): Promise<Desk> {
  const stood = await bench(t);
  const url = await serverUrl();
  const path = await home(t);
  const fixed = { KEYRAIL_URL: url, KEYRAIL_TOKEN: stood.tokens.liveKey };
  const [keyrail, here] = [keyrailIn(path, fixed), keyrailHere(path, fixed)];
  return { ...stood, url, home: path, keyrail, here };
}

/** What `--json` printed, for tests that name what they look into. */
export function parsed<T = Printed>({ stdout, stderr, code }: Ran): T {
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Fields that tests look into; the server has held its answers against their schemas. */
export type Printed = {
  id: string;
  object: string;
  name: string | null;
  key: string;
  as: string;
  role: string;
  workspace: string;
  scopes: string[];
  rotated_from: string | null;
  rate_limits: object[] | null;
  revoked_at: string | null;
  revoked_reason: string | null;
  previous_key: { id: string };
  propagation: { complete: boolean };
  deleted: boolean;
  verified: boolean;
};
