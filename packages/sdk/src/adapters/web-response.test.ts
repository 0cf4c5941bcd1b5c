// If a handler returns something that cannot be sent, a retry runs the handler again.
import { equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createTestKeyrail } from '../testing.ts';
import { protect } from './web.ts';

const used = async () => {
  const response = new Response('gone');
  await response.text();
  return response;
};

for (const [what, answer] of Object.entries({
  nothing: async () => JSON.parse('[]')[0],
  'something else': async () => JSON.parse('{}'),
  'a response that has already been read': used,
})) {
  test(`after a handler returns ${what}, a retry runs the handler again`, async (t) => {
    const keyrail = await createTestKeyrail({ keys: [{}] });
    t.after(() => keyrail.close());
    const headers = { 'x-api-key': keyrail.keys[0]?.key ?? '', 'idempotency-key': 'one' };
    let runs = 0;
    const handler = protect(keyrail, { idempotency: true }, () => {
      runs += 1;
      return runs === 1 ? answer() : Response.json('done');
    });
    const ask = () => handler(new Request('http://x.test', { method: 'POST', headers }));
    await rejects(ask(), TypeError);
    await new Promise((resolve) => setImmediate(resolve));
    equal((await ask()).status, 200);
    equal(runs, 2);
  });
}
