// Handles responses sent before the whole request body has arrived: 401, 403, 413, 415, 429, 503.
// Closing such a connection immediately would lose the response: bytes in flight would arrive at a
// closed socket, and the client would get a reset and report EPIPE instead of the status. So the
// server sends the whole response, then reads and discards the rest of the body (a lingering
// close).
//
// This is limited in time, in bytes, and in the number of connections. If the whole body was read,
// the connection stays open; otherwise it is destroyed, so that nothing after the unread body is
// parsed as a request.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type LingerLimits = {
  lingerMs: number;
  lingerBytesMax: number;
  lingeringMax: number;
};

export const lingerLimits: LingerLimits = {
  lingerMs: 5000,
  /** Twice the largest body that any endpoint accepts. */
  lingerBytesMax: 16_777_216,
  lingeringMax: 1000,
};

export type Lingering = {
  /** The class of the server's responses. Its `end` waits for the body, within the limits. */
  Response: typeof ServerResponse<IncomingMessage>;
  /**
   * Whether the body is too long to be read completely. If so, the response says that the
   * connection will be closed.
   */
  isTooLong(request: IncomingMessage): boolean;
  /** Whether the response has been sent, so that nothing else may be written to this connection. */
  isAnswered(socket: Socket): boolean;
  /** Writes a response to the raw socket of a connection whose request couldn't be parsed. */
  endAfter(socket: Socket, text: string): void;
  /** After this call, every connection is closed when its response is complete. */
  close(): void;
};

export function createLingering(limits: LingerLimits): Lingering {
  const dropping = openDropping(limits);
  let isClosing = false;

  class Response extends ServerResponse<IncomingMessage> {
    override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
      const { req: request } = this;
      if (dropping.has(request)) return this;
      const { socket } = request;
      if (!isArriving(request)) {
        // The response's headers may have been written before `close` was called, saying that the
        // connection stays open.
        if (isClosing) this.once('finish', () => socket.destroySoon());
        return Reflect.apply(super.end, this, [chunk, encoding, done]);
      }
      const finish = () => super.end();
      const isEmpty = chunk === undefined || chunk === null || request.method === 'HEAD';
      if (isEmpty) this.flushHeaders();
      else Reflect.apply(this.write, this, [chunk, encoding]);
      // The response ends only after the body has been discarded. The client doesn't have to wait
      // for that, because every response has a content-length.
      dropping.begin(request, () => {
        const isWhole = request.complete;
        if (!isWhole && socket.writableLength > 0) socket.destroy();
        finish();
        if (!isWhole || isClosing) socket.destroySoon();
      });
      return this;
    }
  }

  return {
    Response,
    isTooLong: ({ headers }) => Number(headers['content-length']) > limits.lingerBytesMax,
    isAnswered: dropping.hasSocket,
    endAfter(socket, text) {
      socket.end(text);
      // The HTTP parser has failed on this connection, and would fail again on every byte.
      socket.removeAllListeners('data');
      dropping.begin(socket, () => socket.destroy());
    },
    close: () => {
      isClosing = true;
    },
  };
}

type Source = IncomingMessage | Socket;

/** Reads and discards incoming bytes, within the limits. */
function openDropping(limits: LingerLimits) {
  /**
   * The requests and sockets whose bytes are being discarded, each with its `end` function. The
   * oldest comes first.
   */
  const sources = new Map<Source, () => void>();

  function begin(source: Source, over: () => void): void {
    let bytes = 0;
    const end = () => {
      clearTimeout(timer);
      source.off('data', count).off('end', end).off('close', end);
      sources.delete(source);
      over();
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.lingerBytesMax) end();
    };
    const timer = setTimeout(end, limits.lingerMs);
    // Closes the oldest connection, which has had the most time to read its response.
    if (sources.size >= limits.lingeringMax) sources.values().next().value?.();
    sources.set(source, end);
    source.on('data', count).once('end', end).once('close', end).resume();
  }

  return {
    begin,
    has: (source: Source): boolean => sources.has(source),
    hasSocket: (socket: Socket): boolean =>
      [...sources.keys()].some(
        (one) => one === socket || ('socket' in one && one.socket === socket),
      ),
  };
}

/**
 * Whether more of the body may arrive. `complete` alone doesn't tell, because for a request without
 * a body, Node.js sets it only after passing on the request.
 */
function isArriving({ complete, destroyed, headers }: IncomingMessage): boolean {
  if (complete || destroyed) return false;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
