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
  /** While true, what is sent arrives and what is answered does not. */
  keepAnswers(isKept: boolean): void;
  /** The same, but those that stand stay where they are. */
  leadNextTo(port: number): void;
  /** How many were cut so far. */
  cuts(): number;
  close(): Promise<void>;
};

export async function openProxy(firstPort: number): Promise<Proxy> {
  let targetPort = firstPort;
  let budget: (() => number) | null = null;
  let cuts = 0;
  let answersAreKept = false;
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    const pair: [Socket, Socket] = [client, target];
    pairs.add(pair);
    let left = budget ? budget() : Number.POSITIVE_INFINITY;
    const cut = () => {
      cuts += 1;
      for (const socket of pair) socket.resetAndDestroy();
    };
    const forward = (from: Socket, to: Socket) => {
      from.on('data', (chunk: Buffer) => {
        if (answersAreKept && from === target) return;
        // What fits is still delivered: the other side may act on it without an answer.
        to.write(chunk.subarray(0, Math.max(0, left)));
        left -= chunk.length;
        if (left <= 0) setImmediate(cut);
      });
      from.on('error', () => {});
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    };
    forward(client, target);
    forward(target, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cutAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
  };
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    keepAnswers: (isKept) => {
      answersAreKept = isKept;
    },
    cuts: () => cuts,
    cutAfter: (bytes) => {
      budget = bytes;
      cutAll(); // those that were opened under the old rule end with it
    },
    leadTo: (port) => {
      targetPort = port;
      cutAll();
    },
    leadNextTo: (port) => {
      targetPort = port;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await closed;
    },
  };
}
