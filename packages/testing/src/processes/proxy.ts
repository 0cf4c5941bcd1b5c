// A TCP proxy that tests use to break connections: it can reset them after a number of bytes, drop
// or delay responses, or block all traffic.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type Proxy = {
  port: number;
  /**
   * Resets all existing connections. Later connections are reset after a number of bytes, which
   * `bytes` returns for each; null removes this limit.
   */
  cutAfter(bytes: (() => number) | null): void;
  /** Forwards new connections to this port and cuts the existing ones. */
  leadTo(port: number): void;
  /** Forwards new connections to this port and keeps the existing ones. */
  leadNextTo(port: number): void;
  /** While true, requests are forwarded, but responses are dropped. */
  keepAnswers(isKept: boolean): void;
  /** Delays all later responses. */
  delayAnswers(ms: number): void;
  /**
   * While true, nothing passes in either direction and no connection ends, as when a cable is
   * unplugged. Setting it to false resets all connections.
   */
  unplug(isUnplugged: boolean): void;
  /** How many connections have been cut so far. */
  cuts(): number;
  close(): Promise<void>;
};

type Wire = {
  targetPort: number;
  budget: (() => number) | null;
  cuts: number;
  answersAreKept: boolean;
  answerDelayMs: number;
  isUnplugged: boolean;
  pairs: Set<[Socket, Socket]>;
};

/** Connects a client to the current target under the current rules. */
function join(client: Socket, wire: Wire): void {
  if (wire.isUnplugged) {
    const alone: [Socket, Socket] = [client, client];
    wire.pairs.add(alone);
    client.on('error', () => {}).on('close', () => wire.pairs.delete(alone));
    client.resume();
    return;
  }
  const target = connect(wire.targetPort, '127.0.0.1');
  const pair: [Socket, Socket] = [client, target];
  wire.pairs.add(pair);
  let left = wire.budget ? wire.budget() : Number.POSITIVE_INFINITY;
  const cut = () => {
    wire.cuts += 1;
    for (const socket of pair) socket.resetAndDestroy();
  };
  const forward = (from: Socket, to: Socket) => {
    from.on('data', (chunk: Buffer) => {
      if (wire.isUnplugged || (wire.answersAreKept && from === target)) return;
      if (wire.answerDelayMs > 0 && from === target) {
        setTimeout(() => to.write(chunk), wire.answerDelayMs);
        return;
      }
      // Bytes within the budget are still delivered, because a request may take effect even though
      // its response is lost.
      to.write(chunk.subarray(0, Math.max(0, left)));
      left -= chunk.length;
      if (left <= 0) setImmediate(cut);
    });
    from.on('error', () => {});
    from.on('close', () => {
      if (wire.isUnplugged) return;
      to.destroy();
      wire.pairs.delete(pair);
    });
  };
  forward(client, target);
  forward(target, client);
}

export async function openProxy(targetPort: number): Promise<Proxy> {
  const pairs: Wire['pairs'] = new Set();
  const kept = { answersAreKept: false, answerDelayMs: 0, isUnplugged: false };
  const wire: Wire = { targetPort, budget: null, cuts: 0, ...kept, pairs };
  const server = createServer((client) => join(client, wire));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cutAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
  };
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    keepAnswers: (isKept) => {
      wire.answersAreKept = isKept;
    },
    delayAnswers: (ms) => {
      wire.answerDelayMs = ms;
    },
    unplug: (isUnplugged) => {
      wire.isUnplugged = isUnplugged;
      if (!isUnplugged) cutAll();
    },
    cuts: () => wire.cuts,
    cutAfter: (bytes) => {
      wire.budget = bytes;
      cutAll(); // existing connections still have the old limit
    },
    leadTo: (port) => {
      wire.targetPort = port;
      cutAll();
    },
    leadNextTo: (port) => {
      wire.targetPort = port;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await closed;
    },
  };
}
