// Settings of monitoring.
import { Secret } from '../base/secret.ts';
import { wholeNumber } from './parsers.ts';
import { Fault, type Setting } from './setting.ts';

const TOKEN_CHARS_MIN = 16;

export const metricsToken: Setting<Secret> = {
  name: 'KEYRAIL_METRICS_TOKEN',
  meaning: 'Bearer token of GET /metrics. Unset: that path does not exist.',
  fallback: null,
  isSecret: true,
  parse: (text) => {
    const isToken = text.length >= TOKEN_CHARS_MIN && /^[\x21-\x7e]+$/.test(text);
    if (isToken) return new Secret(text);
    throw new Fault(
      `must be printable ASCII without spaces, ${TOKEN_CHARS_MIN} characters or more`,
    );
  },
};

export const workerPort: Setting<number> = {
  name: 'KEYRAIL_WORKER_PORT',
  meaning: 'Port on which a worker that runs alone serves /healthz, /readyz and /metrics.',
  fallback: null,
  parse: (text) => wholeNumber(text, 0, 65_535),
};
