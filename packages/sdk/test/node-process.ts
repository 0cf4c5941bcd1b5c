// Nodes in real processes, and a control plane over real HTTP.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '@keyrail/testing/until.ts';
import type { KeyrailOptions } from '../src/api/options.ts';
import type { Plane } from './plane.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('./node-program.ts'));

export type Served = {
  url: string;
  /** The newest acknowledged version; 0 if there is none. */
  acknowledged(): number;
  close(): void;
};

/** Serves an in-memory control plane over HTTP. Held polls get a response at the next change. */
export async function servePlane(plane: Plane): Promise<Served> {
  const server = createServer(async (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { signal } = gone;
    const answer = await plane.fetch(`http://x${request.url}`, { signal }).catch(() => null);
    if (answer === null) return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : null;
  return {
    url: `http://127.0.0.1:${port}`,
    acknowledged: () =>
      Math.max(
        0,
        ...plane.asked
          .filter(({ query }) => query.has('node'))
          .map(({ query }) => Number(query.get('since'))),
      ),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export class NodeProcess {
  readonly child: ChildProcess;
  readonly said: string[] = [];
  readonly #answers: string[] = [];

  constructor(url: string, options: Partial<KeyrailOptions>) {
    const args = ['--conditions=keyrail-source', PROGRAM, url, JSON.stringify(options)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.child = child;
    createInterface(child.stdout).on('line', (line) => this.#answers.push(line));
    child.stderr.on('data', (bytes) => this.said.push(String(bytes)));
  }

  async ask(line: string): Promise<unknown> {
    this.child.stdin?.write(`${line}\n`);
    return this.next();
  }

  /** Returns the next line that the process prints. */
  async next(): Promise<unknown> {
    await until(() => this.#answers.length > 0 || this.child.exitCode !== null);
    return JSON.parse(this.#answers.shift() ?? 'null');
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
