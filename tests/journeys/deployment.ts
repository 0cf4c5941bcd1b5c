// A deployment of the real program, as an operator would run it: with its own store and directory,
// called over HTTP, observed through its emails and log, stopped and killed by pid.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { systemClock } from '@keyrail/server/base/clock.ts';
import type { Database } from '@keyrail/server/db/database.ts';
import { openEmbedded } from '@keyrail/server/db/embedded/embedded.ts';
import { openPostgres } from '@keyrail/server/db/postgres.ts';
import {
  createPostgresCopy,
  dropPostgresCopy,
  unpackEmbeddedCopy,
} from '@keyrail/testing/database-copies.ts';
import {
  type Answer,
  type Caller,
  type Input,
  Refusal,
  requestOf,
} from '@keyrail/testing/harness.ts';
import type { Mail } from '@keyrail/testing/people.ts';
import { endProcess } from '@keyrail/testing/processes/end-process.ts';
import { compileServer, inherited, serverProgram } from '@keyrail/testing/processes/environment.ts';
import { type StoreName, storeName } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import pg from 'pg';

export const BOOTSTRAP_TOKEN = 'a-bootstrap-token-for-journeys-0123456789';
export const MASTER_KEY = Buffer.alloc(32, 9).toString('base64');

const READY_MS_MAX = 60_000;

export type Settings = Record<string, string>;
export type Command = 'start' | 'api' | 'worker';

export type Running = {
  url: string;
  pid: number;
  kill(): Promise<void>;
  /** Stops the process; resolves with its exit code and how long it took to exit. */
  stop(): Promise<{ code: number | null; ms: number }>;
  as(token: string | null): Caller;
  ask(line: AnyLine, input?: Input, token?: string | null): Promise<Answer>;
};

export type Deployment = {
  directory: string;
  /** Starts a process. `main` is the entry point, if it is a different release's. */
  run(command?: Command, more?: Settings, main?: string): Promise<Running>;
  /** Runs one of the program's commands until it exits. */
  command(...words: string[]): Promise<Ended>;
  /**
   * Starts a command in its own process group, which includes everything that the command starts.
   */
  inGroup(...words: string[]): ChildProcess;
  /** Everything that all its processes have printed. */
  printed(): string;
  mails(): Promise<Mail[]>;
  /** Opens the store. The embedded store can only be opened while no process runs. */
  open(): Promise<Database>;
  /** Moves the store's clock forward. The embedded store allows this only while no process runs. */
  passTime(ms: number): Promise<void>;
  /**
   * Runs statements as the superuser. The embedded store allows this only while no process runs.
   */
  beyond(text: string): Promise<void>;
};

/** Prepares a deployment, without starting a process. Its files are removed when the test ends. */
export async function deploy(
  t: TestContext,
  settings: Settings = {},
  store: StoreName = storeName,
): Promise<Deployment> {
  const directory = await mkdtemp(join(tmpdir(), 'kr-journey-'));
  const superuserUrl = process.env.KEYRAIL_TEST_POSTGRES ?? '';
  const databaseUrl = store === 'postgres' ? await createPostgresCopy(superuserUrl) : null;
  if (!databaseUrl) await unpackEmbeddedCopy(join(directory, 'database'));
  const alive = new Set<ChildProcess>();
  let output = '';
  let passedMs = 0;
  t.after(async () => {
    await Promise.all([...alive].map(endProcess));
    if (databaseUrl) await dropPostgresCopy(superuserUrl, databaseUrl);
    await rm(directory, { recursive: true, force: true });
  });
  const env = { ...environment(directory, databaseUrl), ...settings };
  const beyond = (text: string): Promise<void> =>
    databaseUrl ? asPostgres(databaseUrl, text) : inDirectory(join(directory, 'database'), text);

  const run: Deployment['run'] = async (command = 'start', more = {}, main) => {
    await compileServer();
    const child = spawn(process.execPath, serverProgram([command], main), {
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    alive.add(child);
    child.once('close', () => alive.delete(child));
    let own = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        own += text;
        output += text;
      });
    }
    await until(() => own.includes('"msg":"ready"') || child.exitCode !== null, READY_MS_MAX);
    if (child.exitCode !== null)
      throw new Error(`the server exited with ${child.exitCode}: ${own}`);
    return running(child, /"url":"(http:[^"]+)"/.exec(own)?.[1] ?? '');
  };

  return {
    directory,
    run,
    command: (...words) => ranToItsEnd(words, env),
    inGroup: (...words) => {
      const child = spawn(process.execPath, serverProgram(words), {
        env,
        stdio: 'ignore',
        detached: true,
      });
      t.after(() => signalGroup(child, 'SIGKILL'));
      return child;
    },
    printed: () => output,
    mails: () => mailsIn(join(directory, 'mail')),
    open: async () =>
      databaseUrl
        ? openPostgres({
            url: databaseUrl,
            clock: systemClock,
            connectionsMax: 2,
            onIdleError: () => {},
          })
        : openEmbedded(directory, systemClock),
    passTime: async (ms) => {
      passedMs += ms;
      await beyond(clockAhead(passedMs));
    },
    beyond,
  };
}

/** A statement that replaces the function from which the server's transactions get the time. */
const clockAhead = (aheadMs: number): string => `create or replace function keyrail.app_now()
  returns timestamptz volatile language sql
  return date_trunc('milliseconds', clock_timestamp() + ${aheadMs} * interval '1 millisecond')`;

async function asPostgres(databaseUrl: string, text: string): Promise<void> {
  const admin = new pg.Client({ connectionString: databaseUrl.replace('keyrail@', 'postgres@') });
  await admin.connect();
  await admin.query(text).finally(() => admin.end());
}

async function inDirectory(path: string, text: string): Promise<void> {
  const lite = await PGlite.create({ dataDir: path });
  await lite.exec(text).finally(() => lite.close());
}

type Ended = { code: number | null; output: string };

async function ranToItsEnd(words: string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, serverProgram(words), {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: READY_MS_MAX,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

const environment = (directory: string, databaseUrl: string | null) => ({
  ...inherited(),
  KEYRAIL_PORT: '0',
  KEYRAIL_DATA_DIR: directory,
  KEYRAIL_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN,
  KEYRAIL_MASTER_KEY: MASTER_KEY,
  KEYRAIL_AUTH_THROTTLE: 'off',
  ...(databaseUrl && { DATABASE_URL: databaseUrl }),
});

function running(child: ChildProcess, url: string): Running {
  const ask: Running['ask'] = async (line, input = {}, token = null) => {
    const { method, url: path, body } = requestOf(line, input);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      body: JSON.parse(text),
      headers: Object.fromEntries(response.headers),
    };
  };
  return {
    url,
    pid: child.pid ?? 0,
    ask,
    as: (token) => async (line, input) => {
      const answer = await ask(line, input, token);
      if (answer.status >= 300) throw new Refusal(line, answer);
      return answer.body as never; // other tests check responses against the schema
    },
    kill: () => endProcess(child),
    stop: async () => {
      const began = performance.now();
      const gone = once(child, 'close');
      child.kill('SIGTERM');
      const [code] = await gone;
      return { code, ms: performance.now() - began };
    },
  };
}

/** Does nothing if the group has exited. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {}
}

async function mailsIn(directory: string): Promise<Mail[]> {
  const names = await readdir(directory).catch(() => []);
  return Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .map(async (name) => JSON.parse(await readFile(join(directory, name), 'utf8'))),
  );
}

/** Waits for an email of a given kind to a given address, and extracts its token. */
export async function mailedToken(
  { mails }: Deployment,
  address: string,
  kind: string,
): Promise<string> {
  let token: string | undefined;
  await until(async () => {
    const mail = (await mails()).findLast((each) => each.to === address && each.kind === kind);
    token = /#token=(\S+)/.exec(mail?.text ?? '')?.[1];
    return token !== undefined;
  });
  return token ?? '';
}
