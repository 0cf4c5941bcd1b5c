// Compression middleware may run before or after the guard. Either way, the caller can read a
// replayed response.
import { deepEqual, equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import compression from 'compression';
import express, { type RequestHandler } from 'express';
import { listen } from '../../test/adapter-suite.ts';
import { createTestKeyrail } from '../testing.ts';
import { protect } from './express.ts';

const report = { rows: Array.from({ length: 500 }, (_, row) => ({ row, text: 'the same' })) };

async function serving(t: TestContext, order: (guard: RequestHandler) => RequestHandler[]) {
  const keyrail = await createTestKeyrail({ keys: [{}] });
  const app = express();
  app.post('/reports', ...order(protect(keyrail, { idempotency: true })), (_request, response) => {
    response.status(201).json(report);
  });
  const { url, close } = await listen(app);
  t.after(async () => {
    await close();
    await keyrail.close();
  });
  const key = keyrail.keys[0]?.key ?? '';
  return (coding: string) =>
    fetch(`${url}/reports`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'idempotency-key': 'one', 'accept-encoding': coding },
    });
}

for (const [where, order] of Object.entries({
  before: (guard: RequestHandler) => [compression(), guard],
  after: (guard: RequestHandler) => [guard, compression()],
})) {
  test(`a response can be replayed with compression ${where} the guard`, async (t) => {
    const ask = await serving(t, order);
    const first = await ask('gzip');
    equal(first.headers.get('content-encoding'), 'gzip');
    deepEqual(await first.json(), report);
    let again = await ask('gzip');
    while (again.status === 409) again = await ask('gzip');
    equal(again.status, 201);
    equal(again.headers.get('idempotency-replayed'), 'true');
    deepEqual(await again.json(), report);
  });
}

test('with compression before the guard, a replay is sent in an encoding that its caller accepts', async (t) => {
  const ask = await serving(t, (guard) => [compression(), guard]);
  deepEqual(await (await ask('identity')).json(), report);
  let again = await ask('gzip');
  while (again.status === 409) again = await ask('gzip');
  equal(again.headers.get('content-encoding'), 'gzip');
  deepEqual(await again.json(), report);
});
