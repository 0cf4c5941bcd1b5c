// What `@keyrail/sdk` is under the condition `edge-light`, which `next build` sets for routes and
// middleware on the edge runtime. Without it, the build would fail for a missing module of Node and
// not say why.
import { unsupported } from './supported-runtime.ts';

export function createKeyrail(): never {
  throw unsupported('an edge runtime');
}

export function verifyWebhook(): never {
  throw new TypeError('verifyWebhook() runs in a Node.js, Bun or Deno process only.');
}

/** Never thrown here; a module that imports it has to load. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}
