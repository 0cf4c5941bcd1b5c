// Keyrail as users run it: in its own process, with its real settings and its own store.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@keyrail/testing/ports.ts';
import { type Postgres, startPostgres } from '@keyrail/testing/stores/postgres.ts';
import pg from 'pg';
import { type Program, type Server, startProgram } from '../load/programs.ts';

const entry = join(import.meta.dirname, '../../packages/server/bin/keyrail-server.js');
const DATABASE = 'bench';
const READY_MS_MAX = 60_000;
const POLL_MS = 4;

export type Keyrail = Server & { bootstrapToken: string };

/** A PostgreSQL database for a benchmark. Both URLs point to it. */
type Store = { url: string; superuserUrl: string; stop: Postgres['stop'] };

/**
 * Starts PostgreSQL with durable commits (fsync and synchronous_commit on). The caller stops it.
 */
export async function openPostgres(): Promise<Store> {
  const cluster = await startPostgres();
  const admin = new pg.Client({ connectionString: cluster.superuserUrl });
  await admin.connect();
  try {
    await admin.query(`create database ${DATABASE} owner keyrail`);
    const { rows } = await admin.query(
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync`,
    );
    if (rows[0]?.fsync !== 'on' || rows[0]?.sync !== 'on') throw new Error('not a durable store');
  } finally {
    await admin.end();
  }
  const superuserUrl = new URL(cluster.superuserUrl);
  superuserUrl.pathname = DATABASE;
  return { url: cluster.url(DATABASE), superuserUrl: superuserUrl.href, stop: cluster.stop };
}

/** The connection pool size, for both the server and its peers. */
export const POOL_SIZE = 10;

export async function startOnPostgres(
  url: string,
  more: Record<string, string> = {},
): Promise<Keyrail> {
  const bootstrapToken = randomBytes(32).toString('base64url');
  const { port, program } = await start('api', {
    DATABASE_URL: url,
    KEYRAIL_DATABASE_CONNECTIONS: String(POOL_SIZE),
    KEYRAIL_BOOTSTRAP_TOKEN: bootstrapToken,
    KEYRAIL_MASTER_KEY: randomBytes(32).toString('base64'),
    ...more,
  });
  return { ...program, port, bootstrapToken };
}

/** Starts Keyrail with default settings, apart from the data directory. */
export async function startEmbedded(directory: string): Promise<Keyrail> {
  const { port, program } = await start('start', { KEYRAIL_DATA_DIR: directory });
  const bootstrapToken = readFileSync(join(directory, 'bootstrap-token'), 'utf8').trim();
  return { ...program, port, bootstrapToken };
}

export function scratchDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'kr-bench-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return { path, remove };
}

async function start(
  command: string,
  env: Record<string, string>,
): Promise<{ port: number; program: Program }> {
  const port = await freePort();
  const settings = { KEYRAIL_LOG_LEVEL: 'warn', KEYRAIL_PORT: String(port), ...env };
  const program = startProgram([entry, command], settings);
  try {
    await awaitReady(port, program);
  } catch (error) {
    await program.stop();
    throw error;
  }
  return { port, program };
}

async function awaitReady(port: number, program: Program): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  while (!(await isReady(port))) {
    if (program.hasEnded()) throw new Error('the server ended before it was ready');
    if (performance.now() > deadline) throw new Error('the server was not ready in time');
    await sleep(POLL_MS);
  }
}

/** Uses a new raw socket for each probe, which costs the starting server almost nothing. */
function isReady(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: '127.0.0.1', port });
  socket.once('connect', () =>
    socket.write('GET /readyz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n'),
  );
  socket.once('data', (bytes: Buffer) => {
    resolve(bytes.toString('latin1').startsWith('HTTP/1.1 200 '));
    socket.destroy();
  });
  socket.once('error', () => resolve(false));
  socket.once('close', () => resolve(false));
  return promise;
}
