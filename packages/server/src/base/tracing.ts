// The port for tracing. Its implementation is loaded only if the OpenTelemetry settings are
// present. Without them, all code that uses this port gets null and does no tracing.
import type { IncomingHttpHeaders } from 'node:http';

/** Names, numbers and IDs. Never secrets, and never values from a caller's query. */
export type SpanFields = Readonly<Record<string, string | number>>;

export type SpanStart = {
  /** One of a fixed set of names. Never contains an ID or a caller's path. */
  name: string;
  /** `client`: a call to another process. */
  kind?: 'client' | 'internal';
  fields?: SpanFields;
};

/** A recorded span that has not ended. */
export type Span = {
  add(fields: SpanFields): void;
  /** The W3C Trace Context header that identifies this span. */
  traceparent(): string;
};

export type RequestSpan = {
  /** Runs `work` so that spans and log lines belong to this request. */
  within<T>(work: () => T): T;
  end(fields: SpanFields, isFailed: boolean): void;
};

export type Tracing = {
  /** Opens a request's span, as part of the trace identified by its headers, if there is one. */
  openRequest(start: SpanStart, headers: IncomingHttpHeaders): RequestSpan;
  /** Runs `work` in a child span of the current one. If there is none, `work` gets null. */
  below<T>(start: SpanStart, work: (span: Span | null) => Promise<T>): Promise<T>;
  /** Like `below`, but begins a trace if there is no current span. */
  around<T>(start: SpanStart, work: (span: Span | null) => Promise<T>): Promise<T>;
  /** Adds fields to the current span, if there is one. */
  note(fields: SpanFields): void;
};

/** The fields that link a log line to its trace. */
export type LogFields = { trace_id: string; span_id: string } | Record<string, never>;
