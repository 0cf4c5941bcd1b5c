import { equal, rejects } from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { OVERRUN_MAX } from '../measure/overrun.ts';
import { CONNECTIONS, openLoadGenerator } from './load-generator.ts';
import { getRequest } from './requests.ts';

async function openTarget(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const generator = await openLoadGenerator();
  t.after(async () => {
    await generator.stop();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { generator, target: { port: address.port, request: getRequest('/') } };
}

test('every connection stays busy until the time is up', async (t) => {
  let served = 0;
  const { generator, target } = await openTarget(t, (_, response) => {
    served += 1;
    response.setHeader('content-length', 2).end('ok');
  });
  const result = await generator.run(target, 100);
  equal(result.isEnded, false);
  equal(result.done, served);
  equal(result.done >= CONNECTIONS, true);
});

test("a round times out if the server doesn't respond", async (t) => {
  const { generator, target } = await openTarget(t, () => {});
  const plannedMs = 50;
  const result = await generator.run(target, plannedMs);
  equal(result.isEnded, true);
  equal(result.done, 0);
  equal(result.ms >= plannedMs * OVERRUN_MAX - 1, true);
});

test('a failed request fails the round, with an error that contains the response', async (t) => {
  const { generator, target } = await openTarget(t, (_, response) => {
    response.writeHead(503, { 'content-length': 4 }).end('busy');
  });
  await rejects(generator.run(target, 100), /not a success: HTTP\/1\.1 503 .*busy/);
});
