// A wire that can be cut: forwards TCP connections and resets each after a number of bytes that
// chance decides, in whichever direction they went.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type Proxy = {
  port: number;
  /** From now on connections are cut after so many bytes; null lets them live. */
  cutAfter(bytes: (() => number) | null): void;
  /** Connections from now on go there; those that stand are cut. */
  leadTo(port: number): void;
  /** The same, but those that stand stay where they are. */
  leadNextTo(port: number): void;
  /** While true, what is sent arrives and what is answered does not. */
  keepAnswers(isKept: boolean): void;
  /** From now on answers arrive this much later. */
  delayAnswers(ms: number): void;
  /** How many were cut so far. */
  cuts(): number;
  close(): Promise<void>;
};

type Wire = {
  targetPort: number;
  budget: (() => number) | null;
  cuts: number;
  answersAreKept: boolean;
  answerDelayMs: number;
  pairs: Set<[Socket, Socket]>;
};

/** Leads a client to where the wire leads at this moment, under the rules that hold now. */
function join(client: Socket, wire: Wire): void {
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
      if (wire.answersAreKept && from === target) return;
      if (wire.answerDelayMs > 0 && from === target) {
        setTimeout(() => to.write(chunk), wire.answerDelayMs);
        return;
      }
      // What fits is still delivered: the other side may act on it without an answer.
      to.write(chunk.subarray(0, Math.max(0, left)));
      left -= chunk.length;
      if (left <= 0) setImmediate(cut);
    });
    from.on('error', () => {});
    from.on('close', () => {
      to.destroy();
      wire.pairs.delete(pair);
    });
  };
  forward(client, target);
  forward(target, client);
}

export async function openProxy(targetPort: number): Promise<Proxy> {
  const pairs: Wire['pairs'] = new Set();
  const kept = { answersAreKept: false, answerDelayMs: 0 };
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
    cuts: () => wire.cuts,
    cutAfter: (bytes) => {
      wire.budget = bytes;
      cutAll(); // those that were opened under the old rule end with it
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
