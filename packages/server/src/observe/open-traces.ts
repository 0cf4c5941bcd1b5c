// Traces with OpenTelemetry, exported as OTLP over HTTP. This file and the OpenTelemetry packages
// are loaded only if the settings enable tracing. Nothing is registered globally and no module is
// patched, because the server opens its spans itself.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  defaultTextMapGetter,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { SECOND_MS } from '../base/duration.ts';
import type { Log } from '../base/log.ts';
import type { LogFields, RequestSpan, Span, SpanStart, Tracing } from '../base/tracing.ts';
import { VERSION } from '../base/version.ts';
import { openExporter, type Protocol } from './open-exporter.ts';
import { type SamplerName, samplerOf } from './sampler.ts';

export type TraceSettings = Readonly<{
  protocol: Protocol;
  sampler: SamplerName;
  /** The fraction of traces to keep, for a ratio sampler. */
  ratio: number;
  /** Whether a request joins the trace that its headers identify. */
  continues: boolean;
  /** How long a span may wait to be sent together with others. */
  delayMs: number;
  /** The maximum number of waiting spans. Further spans are dropped. */
  queueMax: number;
}>;

export type Traces = Tracing & {
  /** The fields to add to every log line. */
  logFields(): LogFields;
  /** Sets the log that export failures are written to. */
  reportTo(log: Log): void;
  /** Sends the remaining spans, within a bounded time. */
  close(): Promise<void>;
};

/** How long shutdown waits for an unresponsive collector. */
const CLOSE_MS_MAX = 2 * SECOND_MS;
const BATCH_MAX = 512;

export async function openTraces(settings: TraceSettings): Promise<Traces> {
  const { exporter, reportTo } = await openExporter(settings.protocol);
  const processor = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: settings.delayMs,
    maxQueueSize: settings.queueMax,
    maxExportBatchSize: BATCH_MAX,
  });
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the name and attributes given here.
    resource: resourceFromAttributes({
      'service.name': 'keyrail',
      'service.version': VERSION,
    }).merge(
      detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
    ),
    sampler: samplerOf(settings),
    spanProcessors: [processor],
  });
  return {
    ...createTracing(provider.getTracer('keyrail', VERSION), settings.continues),
    reportTo,
    async close() {
      const sent = provider.shutdown().catch(() => {});
      await Promise.race([sent, sleep(CLOSE_MS_MAX, undefined, { ref: false })]);
    },
  };
}

/** Creates this process's spans. The current span is tracked across calls, promises and timers. */
function createTracing(tracer: Tracer, continues: boolean): Omit<Traces, 'reportTo' | 'close'> {
  const current = new AsyncLocalStorage<OtelSpan>();
  const propagator = new W3CTraceContextPropagator();

  function open(kind: SpanKind, { name, fields }: SpanStart, parent: Context): OtelSpan {
    return tracer.startSpan(name, { kind, ...(fields && { attributes: fields }) }, parent);
  }

  async function run<T>(span: OtelSpan, work: (span: Span | null) => Promise<T>): Promise<T> {
    const recorded = span.isRecording() ? recordedSpan(span) : null;
    try {
      return await current.run(span, () => work(recorded));
    } catch (error) {
      span.setAttribute('error.type', kindOf(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  const below: Tracing['below'] = (start, work) => {
    const parent = current.getStore();
    // Once the parent span has ended, nothing more is recorded under it. This happens when several
    // requests share some work and the request that started it ends first.
    if (!parent?.isRecording()) return work(null);
    return run(open(kindsOf[start.kind ?? 'internal'], start, contextOf(parent)), work);
  };

  return {
    below,
    around: (start, work) =>
      current.getStore() === undefined
        ? run(open(kindsOf[start.kind ?? 'internal'], start, ROOT_CONTEXT), work)
        : below(start, work),
    openRequest(start, headers): RequestSpan {
      const parent = continues
        ? propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
        : ROOT_CONTEXT;
      const span = open(SpanKind.SERVER, start, parent);
      return {
        within: (work) => current.run(span, work),
        end(fields, isFailed) {
          span.setAttributes(fields);
          if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    note: (fields) => void current.getStore()?.setAttributes(fields),
    logFields() {
      const span = current.getStore()?.spanContext();
      return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
    },
  };
}

const kindsOf = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

const contextOf = (span: OtelSpan): Context => trace.setSpan(ROOT_CONTEXT, span);

const recordedSpan = (span: OtelSpan): Span => ({
  add: (fields) => void span.setAttributes(fields),
  traceparent() {
    const { traceId, spanId, traceFlags } = span.spanContext();
    const flags = traceFlags & TraceFlags.SAMPLED ? '01' : '00';
    return `00-${traceId}-${spanId}-${flags}`;
  },
});

/**
 * The error's code or class. Its message is not used, because drivers put values in their messages.
 */
const kindOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name;
};
