// A webhook receiver on loopback that accepts, rejects, redirects or never responds.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export type Received = {
  id: string;
  headers: IncomingHttpHeaders;
  body: string;
  event: { type: string; timestamp: string; data: Record<string, unknown> };
};

/** The status to respond with, null for no response, or 0 to cut the connection. */
type Manner = (received: Received, count: number) => number | null;

type Receiver = {
  url: string;
  received: Received[];
  behave(manner: Manner): void;
  /** Responds to all pending requests. */
  relent(): void;
  /** Closes the receiver's port and cuts its connections, as if its process had exited. */
  die(): Promise<void>;
  /** Listens on the same port again. */
  revive(): Promise<void>;
};

const accepting: Manner = () => 204;

export async function openReceiver(t: TestContext, manner = accepting): Promise<Receiver> {
  let behaviour = manner;
  let unanswered: (() => void)[] = [];
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const { headers } = request;
    const one = { id: String(headers['webhook-id']), headers, body, event: JSON.parse(body) };
    received.push(one);
    const status = behaviour(one, received.length);
    const answer = (code: number) => response.writeHead(code, { location: '/elsewhere' }).end();
    if (status === null) unanswered.push(() => answer(204));
    else if (status === 0) request.socket.destroy();
    else answer(status);
  });
  const listen = (at: number) =>
    new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const die = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  t.after(die);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    behave: (other) => {
      behaviour = other;
    },
    relent() {
      for (const answer of unanswered) answer();
      unanswered = [];
    },
    die,
    revive: () => listen(port),
  };
}
