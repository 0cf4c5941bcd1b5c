// The address of the app that all tests of a process share. It listens when the first test asks.
import type { TestApp } from './test-app.ts';

const addresses = new WeakMap<TestApp['app'], Promise<string>>();

export function addressOf({ app }: TestApp): Promise<string> {
  const known = addresses.get(app) ?? app.http.listen({ port: 0, host: '127.0.0.1' });
  addresses.set(app, known);
  return known;
}
