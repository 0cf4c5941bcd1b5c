// `next build` loads the modules of all routes, but serves no requests and often has no settings. A
// node that connected during the build would delay revocations until the control plane stopped
// waiting for it.
import { randomBytes } from 'node:crypto';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import type { KeyrailOptions } from './api/options.ts';
import { fieldsOf } from './json.ts';
import type { Runtime } from './settings.ts';

export function isNextBuild(globals: object): boolean {
  const { env } = fieldsOf(fieldsOf(globals).process);
  return fieldsOf(env).NEXT_PHASE === 'phase-production-build';
}

/** Options and a runtime for a node that has no settings and never connects. */
export const unconnected = <R>(): { options: KeyrailOptions<R>; runtime: Runtime } => ({
  options: {
    url: 'https://keyrail.invalid',
    secretKey: mintCredential('secret_key', 'live', randomBytes).secret,
    projectId: crypto.randomUUID(),
    telemetry: false,
    log: () => {},
  },
  runtime: { fetch: () => Promise.reject(new Error('nodes do not connect during `next build`')) },
});
