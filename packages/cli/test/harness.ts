// Runs the real CLI against the real server, with an empty home directory, so that this machine's
// settings and profiles have no effect.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { addressOf } from '@keyrail/testing/address.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { inherited } from '@keyrail/testing/processes/environment.ts';
import { bundleProgram } from '@keyrail/testing/processes/program-bundle.ts';
import { testApp } from '@keyrail/testing/test-app.ts';
import { run } from '../src/run.ts';

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts');

let bundle: Promise<string> | undefined;

/** Bundles the CLI into one file, which is written once per test process. */
export const program = (): Promise<string> => (bundle ??= bundleInto(tmpdir()));

async function bundleInto(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'keyrail-program-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return bundleProgram(MAIN, folder);
}

export type Ran = { code: number | null; stdout: string; stderr: string };

export type Run = {
  env?: Record<string, string>;
  /** What stdin contains; empty by default. */
  input?: string;
};

/** Runs `keyrail` with these arguments. A string is split on spaces. */
export type Keyrail = (words: string | string[], run?: Run) => Promise<Ran>;

export async function home(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'keyrail-home-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

export function keyrailProcess(homePath: string, fixed: Record<string, string>): Keyrail {
  return async (words, { env = {}, input = '' } = {}) => {
    const args = typeof words === 'string' ? words.split(' ') : words;
    const child = spawn(process.execPath, [await program(), ...args], {
      env: { ...inherited(), HOME: homePath, ...fixed, ...env },
    });
    const ran: Ran = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      ran.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      ran.stderr += text;
    });
    // A process that does not read its input may close it early.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [code] = await once(child, 'close');
    return { ...ran, code };
  };
}

/** Runs commands in this process, which is much faster than starting one. */
export const keyrailInProcess = (homePath: string, fixed: Record<string, string>): Keyrail => {
  return async (words, { env = {}, input = '' } = {}) => {
    const stdout = new PassThrough();
    const stderr = new PassThrough();
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

/**
 * Returns the URL of the server that this file's tests share. The server is started on first use.
 */
export const serverUrl = async (): Promise<string> => addressOf(await testApp());

export type CliSetup = Harness & {
  url: string;
  home: string;
  /** Runs the CLI in its own process. */
  keyrail: Keyrail;
  /** Runs the CLI in the test's process, which is much faster. */
  here: Keyrail;
};

/** Creates a workspace, and a CLI with that workspace's live key in its environment. */
export async function setUpCli(t: TestContext): Promise<CliSetup> {
  const setup = await harness(t);
  const url = await serverUrl();
  const path = await home(t);
  const fixed = { KEYRAIL_URL: url, KEYRAIL_TOKEN: setup.tokens.liveKey };
  const keyrail = keyrailProcess(path, fixed);
  const here = keyrailInProcess(path, fixed);
  return { ...setup, url, home: path, keyrail, here };
}

/** Parses what `--json` printed. */
export function parsed<T = Printed>({ stdout, stderr, code }: Ran): T {
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/**
 * The fields of printed JSON that tests read. They aren't validated here, because the server
 * validates its responses.
 */
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
