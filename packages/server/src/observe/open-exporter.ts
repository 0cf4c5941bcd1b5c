// The span exporter. It reads its URL, headers, timeout, compression and certificates directly from
// OTEL_EXPORTER_OTLP_*. If the collector can't be reached, the start and end of the outage are
// logged.
import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../base/log.ts';
import { createOutageLog, type Outage } from '../base/outage.ts';

export type Protocol = 'http/protobuf' | 'http/json';

type Exporter = { exporter: SpanExporter; reportTo(log: Log): void };

export async function openExporter(protocol: Protocol): Promise<Exporter> {
  const { OTLPTraceExporter } = await loadByProtocol[protocol]();
  const inner: SpanExporter = new OTLPTraceExporter();
  let outage: Outage | null = null;
  return {
    exporter: {
      export: (spans, done) =>
        inner.export(spans, (result) => {
          if (result.code === ExportResultCode.SUCCESS) outage?.over();
          else outage?.fault(new Error(reasonIn(result.error)));
          done(result);
        }),
      forceFlush: async () => inner.forceFlush?.(),
      shutdown: () => inner.shutdown(),
    },
    reportTo(log) {
      outage = createOutageLog(log, {
        begins: 'failed to export traces',
        ends: 'resumed exporting traces',
      });
    },
  };
}

const loadByProtocol = {
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
};

/** A collector's response may contain anything, so only a code is logged. */
function reasonIn(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === undefined || code === '' ? 'no response from the collector' : String(code);
}
