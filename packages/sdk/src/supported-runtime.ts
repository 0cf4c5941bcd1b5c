// Rejects runtimes where a node would not notice a revocation.
import { fieldsOf } from './json.ts';

/** Throws a TypeError on a runtime that stops timers and open requests after each request. */
export function checkRuntime(globals: object): void {
  const name = unsupportedIn(globals);
  if (name !== null) throw unsupported(name);
}

export const unsupported = (name: string): TypeError =>
  new TypeError(
    `A node cannot run on ${name}: timers and open requests stop after each request there, ` +
      'so a revoked key would stay valid. Verify keys through Keyrail Edge, for example with ' +
      'its /v1/verify, or in a Node.js, Bun or Deno process.',
  );

function unsupportedIn(globals: object): string | null {
  const { navigator, EdgeRuntime } = fieldsOf(globals);
  if (fieldsOf(navigator).userAgent === 'Cloudflare-Workers') return 'Cloudflare Workers';
  // The runtime of Next.js middleware, and of routes with `runtime = 'edge'`.
  return EdgeRuntime === undefined ? null : 'an edge runtime';
}
