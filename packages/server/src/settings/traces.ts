// Settings for traces, with OpenTelemetry's names and values. The OpenTelemetry library reads other
// settings on its own, such as OTEL_SERVICE_NAME and OTEL_EXPORTER_OTLP_HEADERS.
import { MINUTE_MS } from '../base/duration.ts';
import type { TraceSettings } from '../observe/open-traces.ts';
import { wholeNumber } from './parsers.ts';
import type { Reader } from './reader.ts';
import { Fault, type Group, type Setting } from './setting.ts';

/** The queue must have room for at least one batch. */
const QUEUE_MIN = 512;
const QUEUE_MAX = 100_000;

const oneOf =
  <const T extends string>(...values: T[]) =>
  (text: string): T => {
    for (const value of values) if (value === text) return value;
    throw new Fault(`must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`);
  };

/** Treated as a secret, because the URL may contain a credential. */
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

export const traces = {
  otlpEndpoint: collectorUrl(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OpenTelemetry collector; traces go to <URL>/v1/traces. Unset: tracing is off.',
  ),
  otlpTracesEndpoint: collectorUrl(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'Full URL for traces. Overrides the previous setting.',
  ),
  otlpProtocol: {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    meaning: 'http/protobuf or http/json.',
    fallback: 'http/protobuf',
    parse: oneOf('http/protobuf', 'http/json'),
  },
  otlpTracesProtocol: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
    meaning: 'Same, for traces only. Overrides the previous setting.',
    fallback: null,
    parse: oneOf('http/protobuf', 'http/json'),
  },
  exporter: {
    name: 'OTEL_TRACES_EXPORTER',
    meaning: 'otlp (http://localhost:4318 if no URL is set), or none to turn tracing off.',
    fallback: null,
    parse: oneOf('otlp', 'none'),
  },
  sampler: {
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
  },
  ratio: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    meaning: 'Fraction of traces that traceidratio samples, 0 to 1.',
    fallback: '1',
    parse: (text) => {
      if (/^(0(\.\d+)?|1(\.0+)?)$/.test(text)) return Number(text);
      throw new Fault('must be a number from 0 to 1');
    },
  },
  continues: {
    name: 'OTEL_PROPAGATORS',
    meaning: "tracecontext: use the request's traceparent. baggage or none: ignore it.",
    fallback: 'tracecontext,baggage',
    parse: (text) => {
      const names = text.split(',').map((name) => name.trim());
      return names.map(oneOf('tracecontext', 'baggage', 'none')).includes('tracecontext');
    },
  },
  delayMs: {
    name: 'OTEL_BSP_SCHEDULE_DELAY',
    meaning: 'How long spans are batched before sending, in milliseconds.',
    fallback: '5000',
    parse: (text) => wholeNumber(text, 1, MINUTE_MS),
  },
  queueMax: {
    name: 'OTEL_BSP_MAX_QUEUE_SIZE',
    meaning: 'Maximum queued spans; more are dropped.',
    fallback: '2048',
    parse: (text) => wholeNumber(text, QUEUE_MIN, QUEUE_MAX),
  },
  isDisabled: {
    name: 'OTEL_SDK_DISABLED',
    meaning: 'true: turn tracing off and ignore all other trace settings.',
    fallback: 'false',
    parse: (text) => oneOf('true', 'false')(text) === 'true',
  },
} satisfies Group;

/**
 * Returns null if tracing is off. In that case, errors in the other tracing settings are ignored.
 */
export function readTraces({ one, all }: Reader): TraceSettings | null {
  if (one(traces.isDisabled)) return null;
  const exporter = one(traces.exporter);
  if (exporter === 'none') return null;
  const own = one(traces.otlpTracesEndpoint);
  const shared = one(traces.otlpEndpoint);
  if (own === null && shared === null && exporter === null) return null;
  const { sampler, ratio, continues, delayMs, queueMax, ...protocols } = all(traces);
  const protocol = protocols.otlpTracesProtocol ?? protocols.otlpProtocol;
  return { protocol, sampler, ratio, continues, delayMs, queueMax };
}
