// Sends raw HTTP requests that no client library would send, and records a connection's traffic.
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { until } from '@keyrail/testing/until.ts';

export type Raw = {
  send(text: string): void;
  /** Everything received so far. */
  received(): string;
  isClosed(): boolean;
};

export function rawConnection(t: TestContext, port: number): Raw {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  socket.on('data', (part: string) => {
    text += part;
  });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  return {
    send: (sent) => void socket.write(sent, 'latin1'),
    received: () => text,
    isClosed: () => socket.readableEnded || socket.destroyed,
  };
}

/** Returns the statuses of all responses received so far. */
export const statusesIn = (received: string): number[] =>
  [...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));

/**
 * Sends text. Returns what was received once a response's headers are complete or the peer has
 * closed.
 */
export async function exchanged(t: TestContext, port: number, text: string): Promise<string> {
  const raw = rawConnection(t, port);
  raw.send(text);
  await until(() => raw.isClosed() || raw.received().includes('\r\n\r\n'));
  return raw.received();
}

export type ByteTap = { port: number; connections(): readonly string[]; open(): number };

/** Forwards bytes, and records what clients sent on each connection. */
export async function openByteTap(t: TestContext, upstreamPort: number): Promise<ByteTap> {
  const seen: { bytes: string }[] = [];
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(upstreamPort, '127.0.0.1');
    const one = { bytes: '' };
    seen.push(one);
    incoming.on('data', (part) => {
      one.bytes += part.toString('latin1');
    });
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => open.delete(socket));
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? Number(address?.port) : 0;
  return { port, connections: () => seen.map(({ bytes }) => bytes), open: () => open.size / 2 };
}

export type Frame = { line: string; headers: ReadonlyMap<string, string>; body: string };

/** Splits a connection's bytes into requests. Throws if any bytes are not part of a request. */
export function framesIn(bytes: string): Frame[] {
  const frames: Frame[] = [];
  let rest = bytes;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`bytes without a request: ${JSON.stringify(rest)}`);
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n');
    const headers = new Map(
      fields.map((field) => {
        const at = field.indexOf(':');
        return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()];
      }),
    );
    rest = rest.slice(end + 4);
    const isChunked = headers.get('transfer-encoding') === 'chunked';
    const length = isChunked ? chunkedLength(rest) : Number(headers.get('content-length') ?? 0);
    frames.push({ line, headers, body: rest.slice(0, length) });
    rest = rest.slice(length);
  }
  return frames;
}

function chunkedLength(text: string): number {
  let at = 0;
  for (;;) {
    const size = Number.parseInt(text.slice(at), 16);
    const begin = text.indexOf('\r\n', at) + 2;
    if (!Number.isSafeInteger(size) || begin === 1) throw new Error(`no chunk: ${text.slice(at)}`);
    at = begin + size + 2;
    if (size === 0) return at;
  }
}
