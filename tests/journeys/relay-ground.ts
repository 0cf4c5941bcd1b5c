// A relay as an operator would run it, and a tap between it and the control plane that counts polls
// and can alter responses.
import { spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '@keyrail/testing/ports.ts';
import { endProcess } from '@keyrail/testing/processes/end-process.ts';
import { inherited } from '@keyrail/testing/processes/environment.ts';
import { until } from '@keyrail/testing/until.ts';
import type { Ground } from './sdk-ground.ts';

const EDGE = join(import.meta.dirname, '../../packages/edge/src/main.ts');

export type Tap = {
  url: string;
  /** How many polls the control plane is holding for the nodes behind the relay. */
  heldPolls(): number;
  /** Alters the bodies of deltas. */
  alter: ((body: string) => string) | null;
};

export async function openTap(t: TestContext, upstream: string): Promise<Tap> {
  const held = new Set<object>();
  const tap: Tap = { url: '', heldPolls: () => held.size, alter: null };
  const server = createServer((incoming, outgoing) => {
    const { url = '', method = 'GET', headers } = incoming;
    // Edge is a node itself. Only Edge's own polls request tenants' external IDs, so they can be
    // recognised and left out.
    const isHeld = /delta.*wait_ms=[1-9]/.test(url) && !url.includes('external_id');
    if (isHeld) held.add(incoming);
    outgoing.on('close', () => held.delete(incoming));
    const { 'accept-encoding': _, ...plain } = headers;
    const sent = request(`${upstream}${url}`, { method, headers: plain }, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const isDelta = text.includes('"policy_delta"');
      const body = Buffer.from(isDelta && tap.alter ? tap.alter(text) : text);
      const { 'transfer-encoding': _, ...rest } = answer.headers;
      const length = answer.statusCode === 304 ? {} : { 'content-length': String(body.length) };
      outgoing.writeHead(answer.statusCode ?? 502, { ...rest, ...length }).end(body);
    });
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  tap.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return tap;
}

export type RelayProcess = {
  url: string;
  signal(name: NodeJS.Signals): void;
  kill(): Promise<void>;
  /** The value of one of the relay's metrics. */
  metric(name: string): Promise<number>;
};

export async function startRelay(
  t: TestContext,
  upstream: string,
  { secretKey, projectId }: Pick<Ground, 'secretKey' | 'projectId'>,
): Promise<RelayProcess> {
  const own = `127.0.0.1:${await freePort()}`;
  const place = `127.0.0.1:${await freePort()}`;
  const child = spawn(process.execPath, ['--conditions=keyrail-source', EDGE], {
    env: {
      ...inherited(),
      KEYRAIL_URL: upstream,
      KEYRAIL_SECRET_KEY: secretKey,
      KEYRAIL_PROJECT_ID: projectId,
      KEYRAIL_EDGE_LISTEN: own,
      KEYRAIL_EDGE_NODE_NAME: 'edge',
      KEYRAIL_EDGE_RELAY: place,
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  t.after(() => endProcess(child));
  const isReady = async () => (await fetch(`http://${own}/readyz`).catch(() => null))?.ok === true;
  await until(isReady);
  return {
    url: `http://${place}`,
    signal: (name) => void child.kill(name),
    kill: () => endProcess(child),
    metric: async (name) => {
      const text = await (await fetch(`http://${own}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    },
  };
}
