// A proxy between the CLI and the server. It records request bodies, can change responses, and can
// hold back a request before or after the server handles it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** `before`: the server never gets the request. `after`: the CLI never gets the response. */
export type Hold = (body: string) => 'before' | 'after' | null;

export type Forwarder = {
  url: string;
  bodies: string[];
  hold: Hold;
  /** Changes a response's body in transit. */
  revise(body: string): string;
  /** Resolves once a request has been held back. */
  held: Promise<void>;
};

export async function forwarder(t: TestContext, target: string): Promise<Forwarder> {
  const reached = Promise.withResolvers<void>();
  const made: Forwarder = {
    url: '',
    bodies: [],
    hold: () => null,
    revise: (body) => body,
    held: reached.promise,
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    made.bodies.push(body);
    const hold = made.hold(body);
    if (hold === 'before') return reached.resolve();
    const { authorization = '' } = request.headers;
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== '' && { body }),
    });
    const text = made.revise(await answer.text());
    if (hold === 'after') return reached.resolve();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return made;
}
