// The entry point of `@keyrail/sdk` under the condition `edge-light`, which `next build` sets for
// routes and middleware on the edge runtime. Without this file, the build would fail because of a
// missing Node.js module, with no hint of the cause.
import { unsupported } from './supported-runtime.ts';

export function createKeyrail(): never {
  throw unsupported('an edge runtime');
}

export function verifyWebhook(): never {
  throw new TypeError('verifyWebhook() only runs in a Node.js, Bun or Deno process.');
}

/** Never thrown in this build, but modules that import the class must still load. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}
