// The load generator: a process of its own that keeps a fixed number of connections busy, with one
// request in flight on each. Its minimal HTTP parser only counts responses, so it costs far less
// than the server it measures. A response other than 2xx, or 304 to a conditional request, ends the
// run with that response as the reason.
import { connect, type Socket } from 'node:net';
import type { LoadOrder, LoadResult } from './loader.ts';
import { takeOrders } from './orders.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH_HEADER = /\r\ncontent-length: *(\d+)/i;
const READ_BYTES = 65_536;

type Run = { order: LoadOrder; request: Buffer; latenciesMs: number[]; isOver: boolean };

async function run(order: LoadOrder): Promise<LoadResult> {
  const state: Run = {
    order,
    request: Buffer.from(order.request, 'latin1'),
    latenciesMs: [],
    isOver: false,
  };
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  const timer = setTimeout(() => {
    state.isOver = true;
  }, order.ms);
  try {
    await Promise.all(Array.from({ length: order.connections }, () => keepBusy(state)));
  } finally {
    state.isOver = true;
    clearTimeout(timer);
  }
  const ms = performance.now() - began;
  const cpu = process.cpuUsage(cpuBefore);
  const sorted = Float64Array.from(state.latenciesMs).sort();
  return {
    answered: state.latenciesMs.length,
    ms,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    cpuShare: (cpu.user + cpu.system) / 1000 / ms,
  };
}

/** One connection: sends a request, awaits the whole response, repeats until the time is over. */
function keepBusy(state: Run): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let pending: Buffer | null = null;
  let askedAt = 0;
  const ask = (): void => {
    askedAt = performance.now();
    socket.write(state.request);
  };
  const take = (bytes: Buffer): void => {
    const whole = pending ? Buffer.concat([pending, bytes]) : bytes;
    const length = answerLength(whole);
    if (length === null || whole.length < length) {
      // The read buffer is reused, so an incomplete response is copied.
      pending = Buffer.from(whole);
      return;
    }
    pending = null;
    if (whole.length > length) throw new Error('received more bytes than one response has');
    refuseUnlessGood(whole);
    state.latenciesMs.push(performance.now() - askedAt);
    if (state.isOver) socket.end();
    else ask();
  };
  const socket: Socket = connect({
    host: '127.0.0.1',
    port: state.order.port,
    noDelay: true,
    onread: {
      buffer: Buffer.alloc(READ_BYTES),
      callback: (count, buffer) => {
        try {
          take(Buffer.from(buffer.buffer, buffer.byteOffset, count));
        } catch (error) {
          state.isOver = true;
          reject(error);
          socket.destroy();
        }
        return true;
      },
    },
  });
  socket.once('connect', ask);
  socket.once('error', reject);
  socket.once('close', () => {
    if (state.isOver) resolve();
    else reject(new Error('the server closed a connection'));
  });
  return promise;
}

/** The length of the whole response, or null while its head is incomplete. */
function answerLength(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  if (isNotModified(bytes)) return headEnd + HEAD_END.length;
  const length = LENGTH_HEADER.exec(bytes.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error(`a response without a length: ${excerpt(bytes)}`);
  return headEnd + HEAD_END.length + Number(length);
}

const FIRST_STATUS_DIGIT = 9;
const DIGIT_TWO = 0x32;
const NOT_MODIFIED = '304';

const isNotModified = (answer: Buffer): boolean =>
  answer.toString('latin1', FIRST_STATUS_DIGIT, FIRST_STATUS_DIGIT + 3) === NOT_MODIFIED;

function refuseUnlessGood(answer: Buffer): void {
  if (answer[FIRST_STATUS_DIGIT] !== DIGIT_TWO && !isNotModified(answer)) {
    throw new Error(`a response that is not a success: ${excerpt(answer)}`);
  }
}

const excerpt = (answer: Buffer): string => {
  const [head = '', body = ''] = answer.toString('latin1').split('\r\n\r\n', 2);
  return `${head.split('\r\n', 1)[0]} ${body.slice(0, 200)}`;
};

takeOrders(run);
