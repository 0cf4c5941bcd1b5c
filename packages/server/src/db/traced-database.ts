// Spans of statements and transactions, as children of the span of the request or job that needs
// them. A span has the statement's kind and its table, but never its values or its text.
import type { Span, SpanStart, Tracing } from '../base/tracing.ts';
import type { Database, Opening, Statement } from './database.ts';

/** Wraps a database. A statement that several requests share belongs to one of them. */
export function withTraces(db: Database, tracing: Tracing): Database {
  // The embedded store's sessions are not visible from outside, so it doesn't get the span.
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
