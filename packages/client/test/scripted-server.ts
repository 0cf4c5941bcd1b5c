// A server that follows a test's script, with one step per request. Used for failures that the real
// server can't produce on demand.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** How to handle one request. The last step also handles all further requests. */
export type Step = (request: IncomingMessage, response: ServerResponse) => void;

export type Seen = {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
};

export type Scripted = { url: string; seen: Seen[] };

export async function scriptedServer(t: TestContext, steps: Step[]): Promise<Scripted> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const step = steps[Math.min(seen.length, steps.length - 1)];
    const one: Seen = { method, url, headers, body: '' };
    seen.push(one);
    request.setEncoding('utf8').on('data', (text: string) => {
      one.body += text;
    });
    request.on('end', () => step?.(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}

/** Returns a URL where nothing is listening. */
export async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

type ResponseOptions = { status?: number; headers?: Record<string, string> };

export const json =
  (body: unknown, { status = 200, headers = {} }: ResponseOptions = {}): Step =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

export const text =
  (body: string, { status = 200, headers = {} }: ResponseOptions = {}): Step =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end(body);
  };

export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Step =>
  json({ error: { code, message: `says ${code}` } }, { status, headers });

/** Closes the connection without a response. */
export const reset: Step = (request) => void request.socket.destroy();

/** Closes the connection in the middle of a response. */
export const breakOff: Step = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"object":');
  setTimeout(() => request.socket.destroy(), 20);
};

/** Never responds. */
export const silence: Step = () => {};

/** Sends a response that never ends. */
export const endless: Step = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour);
  };
  pour();
};
