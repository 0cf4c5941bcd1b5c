// Settings of traces. Their names and values are those of OpenTelemetry. Others, such as
// OTEL_SERVICE_NAME and OTEL_EXPORTER_OTLP_HEADERS, are read by its library.
import { MINUTE_MS } from '../base/duration.ts';
import type { TraceSettings } from '../traces/open-traces.ts';
import { wholeNumber } from './parsers.ts';
import { Fault, type Setting } from './setting.ts';

/** At least one batch fits into the queue. */
const QUEUE_MIN = 512;
const QUEUE_MAX = 100_000;

const oneOf =
  <const T extends string>(...values: T[]) =>
  (text: string): T => {
    for (const value of values) if (value === text) return value;
    throw new Fault(`must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`);
  };

/** The address may contain a credential. */
const collectorUrl = (name: string, meaning: string): Setting<string> => ({
  name,
  meaning,
  fallback: null,
  isSecret: true,
  parse: (text) => {
    if (/^https?:\/\/[^\s/]/.test(text) && URL.canParse(text)) return text;
    throw new Fault('must be an http:// or https:// URL');
  },
});

const otlpEndpoint = collectorUrl(
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OpenTelemetry collector; traces go to <URL>/v1/traces. Unset: tracing is off.',
);

const otlpTracesEndpoint = collectorUrl(
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'Full URL for traces. Overrides the previous setting.',
);

const tracesExporter: Setting<'otlp' | 'none'> = {
  name: 'OTEL_TRACES_EXPORTER',
  meaning: 'otlp (http://localhost:4318 if no URL is set), or none to turn tracing off.',
  fallback: null,
  parse: oneOf('otlp', 'none'),
};

const sdkDisabled: Setting<'true' | 'false'> = {
  name: 'OTEL_SDK_DISABLED',
  meaning: 'true: turn tracing off and ignore all other trace settings.',
  fallback: 'false',
  parse: oneOf('true', 'false'),
};

const otlpProtocol: Setting<TraceSettings['protocol']> = {
  name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
  meaning: 'http/protobuf or http/json.',
  fallback: 'http/protobuf',
  parse: oneOf('http/protobuf', 'http/json'),
};

const otlpTracesProtocol: Setting<TraceSettings['protocol']> = {
  name: 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  meaning: 'Same, for traces only. Overrides the previous setting.',
  fallback: null,
  parse: otlpProtocol.parse,
};

const tracesSampler: Setting<TraceSettings['sampler']> = {
  name: 'OTEL_TRACES_SAMPLER',
  meaning: 'always_on, always_off or traceidratio, each optionally prefixed with parentbased_.',
  fallback: 'parentbased_always_on',
  parse: oneOf(
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ),
};

const tracesSamplerArg: Setting<number> = {
  name: 'OTEL_TRACES_SAMPLER_ARG',
  meaning: 'Fraction of traces that traceidratio samples, 0 to 1.',
  fallback: '1',
  parse: (text) => {
    if (/^(0(\.\d+)?|1(\.0+)?)$/.test(text)) return Number(text);
    throw new Fault('must be a number from 0 to 1');
  },
};

const propagators: Setting<boolean> = {
  name: 'OTEL_PROPAGATORS',
  meaning: "tracecontext: use the request's traceparent. baggage or none: ignore it.",
  fallback: 'tracecontext,baggage',
  parse: (text) => {
    const names = text.split(',').map((name) => name.trim());
    return names.map(oneOf('tracecontext', 'baggage', 'none')).includes('tracecontext');
  },
};

const spanDelay: Setting<number> = {
  name: 'OTEL_BSP_SCHEDULE_DELAY',
  meaning: 'How long spans are batched before sending, in milliseconds.',
  fallback: '5000',
  parse: (text) => wholeNumber(text, 1, MINUTE_MS),
};

const spanQueueMax: Setting<number> = {
  name: 'OTEL_BSP_MAX_QUEUE_SIZE',
  meaning: 'Maximum queued spans; more are dropped.',
  fallback: '2048',
  parse: (text) => wholeNumber(text, QUEUE_MIN, QUEUE_MAX),
};

/** In the order of `keyrail-server help`. */
export const traceSettings: readonly Setting<unknown>[] = [
  otlpEndpoint,
  otlpTracesEndpoint,
  otlpProtocol,
  otlpTracesProtocol,
  tracesExporter,
  tracesSampler,
  tracesSamplerArg,
  propagators,
  spanDelay,
  spanQueueMax,
  sdkDisabled,
];

/** Null if nothing is traced. Then faults of the other settings do not matter. */
export function readTraces(optional: <T>(setting: Setting<T>) => T | null): TraceSettings | null {
  if (optional(sdkDisabled) === 'true') return null;
  const exporter = optional(tracesExporter);
  if (exporter === 'none') return null;
  const own = optional(otlpTracesEndpoint);
  const shared = optional(otlpEndpoint);
  if (own === null && shared === null && exporter === null) return null;
  return {
    protocol: optional(otlpTracesProtocol) ?? optional(otlpProtocol) ?? 'http/protobuf',
    sampler: optional(tracesSampler) ?? 'always_off',
    ratio: optional(tracesSamplerArg) ?? 0,
    continues: optional(propagators) ?? false,
    delayMs: optional(spanDelay) ?? 1,
    queueMax: optional(spanQueueMax) ?? QUEUE_MIN,
  };
}
