// Both sides of the idempotency benchmark, in a separate process: claiming and completing over
// HTTP, and the statements behind both, sent by bare `pg` with its own pipelining.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { lockScope, updateStored } from '@keyrail/server/features/idempotency/rows.ts';
import type { Span } from '../load/contestants.ts';
import { requestText } from '../load/requests.ts';
import { runCommands } from '../load/worker-loop.ts';
import { type Counted, repeat } from '../measure/overrun.ts';
import { openRecorder } from './bare-pg.ts';

export type ClaimCommand = Span & { by: 'http' | 'statements' };

const { BENCH_PORT, BENCH_TOKEN = '', BENCH_WORKSPACE = '' } = process.env;
const RESPONSE = { status: 201, headers: { 'content-type': 'application/json' } };
const BODY = Buffer.from(JSON.stringify({ id: 'pay_1', amount: 4200, state: 'settled' }));
/** Random bytes, as many as the response above has when it is encrypted. */
const SEALED = randomBytes(116);
const BYTES_MAX = 268_435_456;
const TTL_MS = 86_400_000;

/** One connection. Each call waits for the full response, which always fits in one read. */
function createCaller(socket: Socket): (path: string, body: object) => Promise<string> {
  let response = Promise.withResolvers<string>();
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    const head = text.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (head < 0 || text.length < head + 4 + Number(length)) return;
    if (text.startsWith('HTTP/1.1 200 ')) response.resolve(text.slice(head + 4));
    else response.reject(new Error(text.slice(0, 400)));
    text = '';
  });
  socket.on('error', (error) => response.reject(error));
  return (path, body) => {
    response = Promise.withResolvers();
    socket.write(requestText({ method: 'POST', path, token: BENCH_TOKEN, body }));
    return response.promise;
  };
}

function byHttp(socket: Socket): () => Promise<void> {
  const call = createCaller(socket);
  return async () => {
    const scope = { scope_hash: randomBytes(32).toString('hex'), env: 'live' };
    const claim = { ...scope, fingerprint: scope.scope_hash };
    const { lock_token } = JSON.parse(await call('/v1/idempotency/claim', claim));
    const done = { ...scope, lock_token, ...RESPONSE, body: BODY.toString('base64') };
    const text = await call('/v1/idempotency/complete', done);
    if (!text.includes('"ok"')) throw new Error(text);
  };
}

const recorder = openRecorder(BENCH_WORKSPACE);

/** Claims and completes a scope with the statements that the server itself sends. */
async function byStatements(): Promise<void> {
  const scopeHash = randomBytes(32).toString('hex');
  const lockToken = randomBytes(24).toString('base64url');
  const held = { env: 'live' as const, scopeHash, lockToken };
  await lockScope(recorder, { ...held, fingerprint: scopeHash, lockMs: 30_000, ttlMs: TTL_MS });
  const sealed = { whole: SEALED, rest: SEALED, bytesMax: BYTES_MAX };
  const stored = await updateStored(recorder, held, { status: 201, ...sealed, ttlMs: TTL_MS });
  if (stored !== 'whole') throw new Error('the response was not stored');
}

/** Each round opens its own connections, as the load generator does. */
async function repeatByHttp(span: Span): Promise<Counted> {
  const sockets: Socket[] = [];
  const counted = await repeat(span, () => {
    const socket = connect({ host: '127.0.0.1', port: Number(BENCH_PORT), noDelay: true });
    sockets.push(socket);
    return byHttp(socket);
  });
  for (const socket of sockets) socket.destroy();
  return counted;
}

runCommands(({ by, ...span }: ClaimCommand) =>
  by === 'http' ? repeatByHttp(span) : repeat(span, () => byStatements),
);
