// Both sides of the idempotency measurement, in a process of its own: claim and complete over HTTP,
// or the statements of both sent by bare `pg` with its own pipelining.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Statement } from '@keyrail/server/db/database.ts';
import type { Read } from '@keyrail/server/doors/door.ts';
import { lockScope, updateStored } from '@keyrail/server/features/idempotency/rows.ts';
import { openRecorder } from './bare-pg.ts';
import { repeat, takeOrders } from './orders.ts';
import { requestText } from './requests.ts';

export type ClaimOrder = { ms: number; concurrency: number; by: 'http' | 'statements' };
export type ClaimResult = { done: number; ms: number };

const { BENCH_PORT, BENCH_TOKEN = '', BENCH_WORKSPACE = '' } = process.env;
const ANSWER = { status: 201, headers: { 'content-type': 'application/json' } };
const BODY = Buffer.from(JSON.stringify({ id: 'pay_1', amount: 4200, state: 'settled' }));
/** The size of the response above when it is sealed. */
const SEALED = randomBytes(116);
const BYTES_MAX = 268_435_456;
const TTL_MS = 86_400_000;

/** One connection. Each call awaits the whole response, which fits into one read. */
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

const record = openRecorder(BENCH_WORKSPACE);

/** The slice's own statements. */
const bare = {
  run: async (statement: Statement) => {
    const result = await record(statement);
    return { rows: result?.rows ?? [], count: result?.rowCount ?? 0 };
  },
} as unknown as Read; // the prologue sets the reach

async function byStatements(): Promise<void> {
  const scopeHash = randomBytes(32).toString('hex');
  const lockToken = randomBytes(24).toString('base64url');
  const held = { env: 'live' as const, scopeHash, lockToken };
  await lockScope(bare, { ...held, fingerprint: scopeHash, lockMs: 30_000, ttlMs: TTL_MS });
  const sealed = { whole: SEALED, rest: SEALED, bytesMax: BYTES_MAX };
  const stored = await updateStored(bare, held, { status: 201, ...sealed, ttlMs: TTL_MS });
  if (stored !== 'whole') throw new Error('the response was not stored');
}

takeOrders(
  ({ by, ...span }: ClaimOrder): Promise<ClaimResult> =>
    repeat(span, () => (by === 'http' ? byHttp() : byStatements)),
);
