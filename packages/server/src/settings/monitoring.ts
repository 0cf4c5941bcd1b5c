// Settings for monitoring: metrics, a worker's probes, and the log.
import { type LogLevel, logLevels } from '../base/log.ts';
import { Secret } from '../base/secret.ts';
import { wholeNumber } from './parsers.ts';
import { Fault, type Group } from './setting.ts';

const TOKEN_CHARS_MIN = 16;

export const monitoring = {
  /** If null, metrics are off. */
  metricsToken: {
    name: 'KEYRAIL_METRICS_TOKEN',
    meaning: 'Bearer token for GET /metrics. Unset: the endpoint is off.',
    fallback: null,
    isSecret: true,
    parse: (text) => {
      const isToken = text.length >= TOKEN_CHARS_MIN && /^[\x21-\x7e]+$/.test(text);
      if (isToken) return new Secret(text);
      throw new Fault(
        `must be at least ${TOKEN_CHARS_MIN} printable ASCII characters without spaces`,
      );
    },
  },
  /** If null, a standalone worker doesn't serve HTTP. */
  workerPort: {
    name: 'KEYRAIL_WORKER_PORT',
    meaning: 'Port where a standalone worker serves /healthz, /readyz and /metrics.',
    fallback: null,
    parse: (text) => wholeNumber(text, 0, 65_535),
  },
} satisfies Group;

export const logging = {
  logLevel: {
    name: 'KEYRAIL_LOG_LEVEL',
    meaning: `One of ${logLevels.join(', ')}.`,
    fallback: 'info',
    parse: (text): LogLevel => {
      for (const level of logLevels) if (level === text) return level;
      throw new Fault(`must be one of ${logLevels.join(', ')}`);
    },
  },
} satisfies Group;
