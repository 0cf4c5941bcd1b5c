// Settings of monitoring.
import { Secret } from '../base/secret.ts';
import { wholeNumber } from './parsers.ts';
import { Fault, type Setting } from './setting.ts';

const TOKEN_CHARS_MIN = 16;

export const metricsToken: Setting<Secret> = {
  name: 'KEYRAIL_METRICS_TOKEN',
  meaning: 'Bearer token for GET /metrics. Unset: the endpoint is off.',
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
  meaning: 'Port where a standalone worker serves /healthz, /readyz and /metrics.',
  fallback: null,
  parse: (text) => wholeNumber(text, 0, 65_535),
};
