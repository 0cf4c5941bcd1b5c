import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { openRelay } from '../../packages/edge/src/relay/relay.ts';

/** Starts a relay in this process, and returns its URL. */
export async function relayed(t: TestContext, url: string, projectId: string): Promise<string> {
  const relay = openRelay({ url, projectId });
  const server = createServer(relay.listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
    relay.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
