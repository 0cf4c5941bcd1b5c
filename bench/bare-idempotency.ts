// Both sides of the idempotency measurement, in a process of its own: claim and complete by HTTP,
// or the very statements of the two by bare `pg`, with its own pipelining.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import pg from 'pg';
import type { Statement } from '../packages/server/src/db/database.ts';
import type { Read } from '../packages/server/src/doors/door.ts';
import { lockScope, updateStored } from '../packages/server/src/features/idempotency/rows.ts';
import { requestText } from './requests.ts';

export type ClaimOrder = { ms: number; concurrency: number; by: 'http' | 'statements' };
export type ClaimResult = { done: number; ms: number };

const { BENCH_URL, BENCH_PORT, BENCH_TOKEN = '', BENCH_WORKSPACE, BENCH_POOL_SIZE } = process.env;
const ANSWER = { status: 201, headers: { 'content-type': 'application/json' } };
const BODY = Buffer.from(JSON.stringify({ id: 'pay_1', amount: 4200, state: 'settled' }));
const TTL_MS = 86_400_000;

/** One connection; each call awaits the whole answer, which fits in what one read brings. */
function openCaller(): (path: string, body: object) => Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: Number(BENCH_PORT), noDelay: true });
  let settle = Promise.withResolvers<string>();
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    const head = text.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (head < 0 || text.length < head + 4 + Number(length)) return;
    if (text.startsWith('HTTP/1.1 200 ')) settle.resolve(text.slice(head + 4));
    else settle.reject(new Error(text.slice(0, 400)));
    text = '';
  });
  socket.on('error', (error) => settle.reject(error));
  return (path, body) => {
    settle = Promise.withResolvers();
    socket.write(requestText({ method: 'POST', path, token: BENCH_TOKEN, body }));
    return settle.promise;
  };
}

function byHttp(): () => Promise<void> {
  const call = openCaller();
  return async () => {
    const scope = { scope_hash: randomBytes(32).toString('hex'), env: 'live' };
    const claim = { ...scope, fingerprint: scope.scope_hash };
    const { lock_token } = JSON.parse(await call('/v1/idempotency/claim', claim));
    const done = { ...scope, lock_token, ...ANSWER, body: BODY.toString('base64') };
    const text = await call('/v1/idempotency/complete', done);
    if (!text.includes('"ok"')) throw new Error(text);
  };
}

// The server's own prologue (db/pool.ts), which it does not hand out.
const PROLOGUE: Statement = {
  text: `select set_config('role', $1, true), set_config('kr.workspace', $2, true),
    set_config('kr.envs', $3, true), set_config('kr.tenant', $4, true),
    set_config('kr.project', $5, true), set_config('kr.user', $6, true),
    set_config('kr.change', $7, true), set_config('kr.clock_shift_ms', $8, true),
    app_now() as now`,
  values: ['kr_record', BENCH_WORKSPACE, 'live,test', '', '', '', '', 0],
};

const pool = new pg.Pool({
  connectionString: BENCH_URL,
  max: Number(BENCH_POOL_SIZE),
  options: '-c search_path=keyrail',
  idleTimeoutMillis: 0,
  pipeline: true,
});
const prepared = new Map<string, string>();

function query({ text, values }: Statement): pg.QueryConfig {
  const name = prepared.get(text) ?? `bare_${prepared.size}`;
  prepared.set(text, name);
  return { name, text, values: [...values] };
}

/** The slice's own statements, each in a transaction of its own and one trip. */
const bare = {
  run: async (statement: Statement) => {
    const client = await pool.connect();
    try {
      const sent = ['begin', query(PROLOGUE), query(statement), 'commit'];
      const results = await Promise.all(sent.map((each) => client.query(each)));
      return { rows: results[2]?.rows ?? [], count: results[2]?.rowCount ?? 0 };
    } finally {
      client.release();
    }
  },
} as unknown as Read; // it has no reach: the prologue sets it

async function byStatements(): Promise<void> {
  const scopeHash = randomBytes(32).toString('hex');
  const lockToken = randomBytes(24).toString('base64url');
  const held = { env: 'live' as const, scopeHash, lockToken };
  await lockScope(bare, { ...held, fingerprint: scopeHash, lockMs: 30_000, ttlMs: TTL_MS });
  const isDone = await updateStored(bare, held, { ...ANSWER, body: BODY, ttlMs: TTL_MS });
  if (!isDone) throw new Error('nothing was stored');
}

async function run({ ms, concurrency, by }: ClaimOrder): Promise<ClaimResult> {
  const began = performance.now();
  let done = 0;
  const worker = async (): Promise<void> => {
    const step = by === 'http' ? byHttp() : byStatements;
    while (performance.now() - began < ms) {
      await step();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { done, ms: performance.now() - began };
}

process.on('message', async (order: ClaimOrder) => {
  try {
    process.send?.({ result: await run(order) });
  } catch (error) {
    process.send?.({ fault: error instanceof Error ? error.message : String(error) });
  }
});
process.once('disconnect', () => process.exit(0));
process.send?.({ ready: true });
