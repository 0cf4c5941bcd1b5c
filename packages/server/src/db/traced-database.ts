// Spans for statements and transactions, as children of the span of the request or job that runs
// them. A span contains the statement's kind and table, but never its values or text.
import type { Span, SpanStart, Tracing } from '../base/tracing.ts';
import type { Database, Opening, Statement } from './database.ts';

/**
 * Wraps a database. A statement shared by several requests appears in the trace of only one of
 * them.
 */
export function withTraces(db: Database, tracing: Tracing): Database {
  // Nothing outside can see the embedded store's sessions, so it doesn't get the span.
  const carried = (opening: Opening, span: Span): Opening =>
    db.kind === 'postgres' ? { ...opening, traceparent: span.traceparent() } : opening;
  return {
    ...db,
    once: (opening, statement) =>
      tracing.below(startOf(statement, opening), (span) =>
        db.once(span ? carried(opening, span) : opening, statement),
      ),
    transaction: (opening, body) =>
      tracing.below(startOf(TRANSACTION, opening), (span) => {
        if (span === null) return db.transaction(opening, body);
        let attempts = 0;
        return db.transaction(carried(opening, span), ({ now, run }) => {
          attempts += 1;
          if (attempts > 1) span.add({ 'keyrail.attempts': attempts });
          return body({
            now,
            run: (statement) => tracing.below(startOf(statement, opening), () => run(statement)),
          });
        });
      }),
  };
}

const TRANSACTION: Statement = { text: 'transaction', values: [] };

const startOf = ({ text }: Statement, { role }: Opening): SpanStart => ({
  name: summaryOf(text),
  kind: 'client',
  fields: {
    'db.system.name': 'postgresql',
    'db.query.summary': summaryOf(text),
    'keyrail.role': role,
  },
});

const summaries = new Map<string, string>();

/**
 * `select api_keys`: the first word and the first table or function. The text contains no values.
 */
export function summaryOf(text: string): string {
  let summary = summaries.get(text);
  if (summary === undefined) {
    const [word = ''] = /[a-z]+/i.exec(text) ?? [];
    const target = /\b(?:from|into|update)\s+(?:keyrail\.)?([a-z_]\w*)/i.exec(text)?.[1];
    summary = [word.toLowerCase(), target ?? /\b([a-z_]\w*)\(/i.exec(text)?.[1]]
      .filter((part) => part !== undefined)
      .join(' ');
    summaries.set(text, summary);
  }
  return summary;
}
