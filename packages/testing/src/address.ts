// The URL of the app that all tests in a process share. The app starts listening for the first test
// that needs it.
import type { TestApp } from './test-app.ts';

const addresses = new WeakMap<TestApp['app'], Promise<string>>();

export function addressOf({ app }: TestApp): Promise<string> {
  const known = addresses.get(app) ?? app.http.listen({ port: 0, host: '127.0.0.1' });
  addresses.set(app, known);
  return known;
}
