// Builds all parts of a node except the feed, and connects them to a scripted control plane over
// real HTTP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import type { Env, RequestContext, UnverifiedContext } from '../src/api/context.ts';
import type { KeyrailOptions } from '../src/api/options.ts';
import type { AdmitterParts } from '../src/request/admit.ts';
import { type Runtime, settingsOf } from '../src/settings.ts';
import { createTransport } from '../src/transport.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

export const PROJECT_ID = '01890000-0000-7000-8000-000000000001';
export const KEY_ID = '01890000-0000-7000-8000-000000000002';
export const TENANT_ID = '01890000-0000-7000-8000-000000000003';

export type Received = { path: string; body: Record<string, unknown> };
export type Reply = { status?: number; headers?: Record<string, string>; body?: unknown };

/** Returns the response; a promise delays it, null closes the connection. */
export type Script = (received: Received) => Reply | null | Promise<Reply | null>;

export type Receiver = { url: string; received: Received[]; script: Script };

/** Starts a real HTTP server with a script that a test may replace at any time. */
export async function receiver(t: TestContext, script: Script): Promise<Receiver> {
  const made: Receiver = { url: '', received: [], script };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const received = {
      path: request.url ?? '',
      body: JSON.parse(Buffer.concat(chunks).toString()),
    };
    made.received.push(received);
    const reply = await made.script(received);
    if (reply === null) return void request.socket.destroy();
    response.writeHead(reply.status ?? 200, {
      'content-type': 'application/json',
      ...reply.headers,
    });
    response.end(JSON.stringify(reply.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return made;
}

export const secretKeyOf = (env: Env): string =>
  mintCredential('secret_key', env, (size) => new Uint8Array(size).fill(7)).secret;

export type Rig = AdmitterParts & { clock: ManualClock; logged: string[] };

export function rig(url: string, options: Partial<KeyrailOptions> = {}, more: Runtime = {}): Rig {
  const clock = manualClock();
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level} ${message}`);
  const whole = { url, secretKey: secretKeyOf('live'), projectId: PROJECT_ID, log, ...options };
  const settings = settingsOf(whole, { clock, chance: () => 0.5, ...more });
  const { base, secretKey, fetch } = settings;
  return {
    settings,
    transport: createTransport({ base, secretKey, fetch, userAgent: 'test' }),
    clock,
    chance: settings.chance,
    log,
    logged,
    verify: () => ({ allowed: true, context: contextOf({}), limits: [] }),
  };
}

export const unverifiedContext: UnverifiedContext = {
  keyId: null,
  workspaceId: null,
  projectId: PROJECT_ID,
  tenantId: null,
  env: 'live',
  scopes: new Set<string>(),
  displayPrefix: 'kr_live_abcdef',
  expiresAt: null,
  degraded: true,
  verified: false,
  rateLimit: null,
  resources: null,
};

export const contextOf = (given: Partial<RequestContext>): RequestContext => ({
  keyId: KEY_ID,
  workspaceId: PROJECT_ID,
  projectId: PROJECT_ID,
  tenantId: TENANT_ID,
  env: 'live',
  scopes: new Set<string>(),
  displayPrefix: 'kr_live_abcdef',
  expiresAt: null,
  degraded: false,
  verified: true,
  rateLimit: null,
  resources: null,
  ...given,
});
