// Sends one batch of an import. A call imports either all of its keys or, if the server already has
// some of them, none. In that case, the server lists the keys it has, and the call is repeated
// without them. So after any failure, a batch can be retried without keeping track of what has been
// imported.
import { type Answer, type Client, KeyrailError } from '@keyrail/client';
import type { Env } from '@keyrail/protocol/wire/env.ts';
import { exitCodeOf, exitCodes, Failure, refused } from '../failures.ts';
import type { ImportedKey } from './key-row.ts';

export type BatchRow = { line: number; key: ImportedKey };

export type Place = { project_id: string; env: Env };

type Sent = {
  imported: Answer<'POST /v1/keys/import'>['data'];
  /** The line numbers of the keys that the server already had. */
  known: number[];
};

/**
 * The maximum number of calls for a batch. Repeated conflicts mean that another import is running.
 */
const ATTEMPTS_MAX = 5;
const TIMEOUT_MS = 60_000;
const TOTAL_MS = 180_000;
const AGAIN = 'Run the same command again: keys already imported are skipped.';

export async function sendBatch(
  client: Client,
  place: Place,
  rows: readonly BatchRow[],
): Promise<Sent> {
  let rest = rows;
  for (let attempt = 1; rest.length > 0; attempt += 1) {
    try {
      const imported = await send(client, place, rest);
      return { imported, known: linesWithout(rows, rest) };
    } catch (error) {
      const known = error instanceof KeyrailError ? knownIn(error) : new Set();
      if (known.size === 0 || attempt === ATTEMPTS_MAX) throw explained(error, rest);
      rest = rest.filter((_, index) => !known.has(index));
    }
  }
  return { imported: [], known: linesWithout(rows, rest) };
}

async function send(client: Client, place: Place, rows: readonly BatchRow[]) {
  const body = { ...place, keys: rows.map(({ key }) => key) };
  const limits = { timeoutMs: TIMEOUT_MS, totalMs: TOTAL_MS };
  const list = await client.call('POST /v1/keys/import', { body, idempotent: true, ...limits });
  return list.data;
}

const linesWithout = (rows: readonly BatchRow[], rest: readonly BatchRow[]): number[] => {
  const sent = new Set(rest);
  return rows.filter((row) => !sent.has(row)).map(({ line }) => line);
};

const INDEX = /^keys\.(\d{1,4})(?:\.|$)/;

const indexIn = (path: string): number | null => {
  const [, digits] = INDEX.exec(path) ?? [];
  return digits === undefined ? null : Number(digits);
};

/** Returns the indexes of the keys listed in a 409 response. */
const knownIn = ({ status, details }: KeyrailError): Set<number> =>
  new Set(status === 409 ? details.flatMap(({ path }) => indexIn(path) ?? []) : []);

const FAULTS_SHOWN_MAX = 20;

/** Returns the same error, with line numbers in the file instead of indexes in the batch. */
function explained(error: unknown, rows: readonly BatchRow[]): unknown {
  if (error instanceof Error && exitCodeOf(error) === exitCodes.unreachable) {
    return new Failure(exitCodes.unreachable, error.message, AGAIN);
  }
  if (!(error instanceof KeyrailError)) return error;
  const faults = error.details.flatMap(({ path, message }) => {
    const row = rows[indexIn(path) ?? -1];
    const field = path.replace(INDEX, '');
    return row ? [`line ${row.line}: ${field === '' ? '' : `${field}: `}${message}`] : [];
  });
  if (faults.length === 0) return error;
  const more =
    faults.length > FAULTS_SHOWN_MAX ? [`and ${faults.length - FAULTS_SHOWN_MAX} more`] : [];
  const lines = [...faults.slice(0, FAULTS_SHOWN_MAX), ...more, `Fix the file. ${AGAIN}`];
  return refused(error.message, ...lines);
}
