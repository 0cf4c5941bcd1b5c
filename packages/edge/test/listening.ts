// Runs Edge's request listener on a real server, and sends requests to it.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

export async function listening(t: TestContext, listener: RequestListener): Promise<Ask> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init);
}

export const verifying = (question: unknown): RequestInit => ({
  method: 'POST',
  body: typeof question === 'string' ? question : JSON.stringify(question),
});

/** The response fields that tests read. */
export type Body = {
  error: { code: string; missing_scopes: string[] };
  allowed: boolean;
  reason: string | null;
  status: number | string;
  source: string;
  degraded: boolean;
  context: Record<string, unknown> | null;
};

export const bodyIn = async (answer: Response | Promise<Response>): Promise<Body> =>
  (await (await answer).json()) as Body;
