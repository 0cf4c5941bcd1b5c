// A server for a single test, which can stop it and start it again at the same address.
import type { TestContext } from 'node:test';
import { testApp } from '@keyrail/testing/test-app.ts';

export async function ownServer(t: TestContext) {
  const { variant } = await testApp();
  let { http } = variant({});
  const origin = await http.listen({ host: '127.0.0.1', port: 0 });
  const stop = () => http.close();
  const start = async () => {
    ({ http } = variant({}));
    await http.listen({ host: '127.0.0.1', port: Number(new URL(origin).port) });
  };
  t.after(stop);
  return { origin, stop, start };
}
