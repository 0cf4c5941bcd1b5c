// Imports another product's keys from a file, in batches. The file is read twice. The first pass
// only checks the rows, so that nothing is sent if any row is invalid.
import { access, constants, stat } from 'node:fs/promises';
import type { Client } from '@keyrail/client';
import { IMPORT_KEYS_MAX, LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { Command } from '../command.ts';
import type { Context } from '../context.ts';
import { refused, usage } from '../failures.ts';
import { UnreadableLine } from '../imports/csv.ts';
import { formatOf, formats, rowsOf, type Source } from '../imports/file-rows.ts';
import { InvalidRow } from '../imports/key-row.ts';
import { openProgress } from '../imports/progress.ts';
import { type BatchRow, type Place, sendBatch } from '../imports/send-batch.ts';
import type { Given } from '../input/given.ts';
import { projectOption, requiredEnvOf, requiredEnvOption } from '../input/options.ts';
import { projectIdOf } from '../input/resolve-ids.ts';

/**
 * The maximum length of a request's JSON in characters. Even if no character is ASCII, the request
 * stays within the API's size limit.
 */
const BATCH_CHARS_MAX = 1_000_000;
const FAULTS_SHOWN_MAX = 20;
/** The maximum number of distinct tenants that a dry run looks up. */
const TENANTS_CHECKED_MAX = 100_000;
const LINES_SHOWN_MAX = 20;

export const keyImport: Command = {
  name: 'import',
  summary: 'import keys issued by another product',
  args: [{ name: 'file', about: 'CSV file with a header row, or JSON Lines' }],
  options: [
    { ...projectOption, required: true },
    requiredEnvOption,
    {
      flags: '--plain',
      about: "the file contains full keys; they're hashed locally and never sent",
    },
    {
      flags: '--format <format>',
      about: "file format, if the file name doesn't make it clear",
      choices: formats,
    },
    { flags: '--dry-run', about: 'check the file, project and tenants without importing anything' },
  ],
  examples: [
    'keyrail keys import keys.csv --project payments --env live --plain --dry-run',
    'keyrail keys import keys.csv --project payments --env live --plain',
    'keyrail keys import hashes.jsonl --project payments --env live --json',
  ],
  notes: `Columns or fields: tenant_external_id or tenant_id; lookup_hash (SHA-256 of the
full key, in hex) and display_prefix, or, with --plain, key and optionally
display_prefix; name, scopes, meta, rate_limits, expires_at. In CSV, scopes are
separated by spaces, and meta and rate_limits are JSON.

You can interrupt the command and run it again: keys already imported are skipped.
--json prints a line for each batch, --quiet the ID of each new key.`,
  changes: true,
  run: async (context, given) => {
    const source = sourceOf(given);
    const size = await sizeOf(source.path);
    const client = context.client();
    const place = {
      project_id: await projectIdOf(client, given.text('project')),
      env: requiredEnvOf(given),
    };
    const isDryRun = given.flag('dryRun');
    const { rows, tenants } = await readable(() => checkFile(source, isDryRun));
    if (!isDryRun)
      return readable(() => importFile(context, { source, place, client, size, rows }));
    await client.call('GET /v1/projects/{id}', { params: { id: place.project_id } });
    await refuseUnknownTenants(client, tenants);
    const checked = tenants.size > TENANTS_CHECKED_MAX ? 'were not checked' : 'exist';
    context.output.part({
      json: { rows, tenants: tenants.size, imported: 0, dry_run: true },
      sentence: `All ${rows} rows are valid; their ${tenants.size} tenants ${checked}. Nothing was imported.`,
    });
  },
};

function sourceOf(given: Given): Source {
  const path = given.text('file');
  const format = given.maybeOneOf('format', formats) ?? formatOf(path);
  if (format === null) throw usage("Can't tell the format from the file name. Pass --format.");
  return { path, format, isPlain: given.flag('plain') };
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  const isReadable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (found?.isFile() && isReadable) return found.size;
  throw usage(`${path} isn't a readable file.`);
}

async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnreadableLine)) throw error;
    throw usage(`Line ${error.line}: ${error.message}.`);
  }
}

/**
 * Checks every row. If any are invalid, throws an error that lists the first of them. Also collects
 * the tenants if `collects` is set, as it is for a dry run.
 */
async function checkFile(
  source: Source,
  collects: boolean,
): Promise<{ rows: number; tenants: Set<string> }> {
  const faults: string[] = [];
  const tenants = new Set<string>();
  let faulty = 0;
  let rows = 0;
  for await (const { line, key } of rowsOf(source)) {
    rows += 1;
    if (key instanceof InvalidRow) {
      faulty += 1;
      if (faults.length < FAULTS_SHOWN_MAX) faults.push(`line ${line}: ${key.message}`);
    } else if (collects && tenants.size <= TENANTS_CHECKED_MAX) {
      tenants.add(key.tenant_id?.toLowerCase() ?? `ext:${key.tenant_external_id}`);
    }
  }
  if (faulty === 0 && rows > 0) return { rows, tenants };
  if (rows === 0) throw usage('The file contains no rows.');
  if (faulty > faults.length) faults.push(`and ${faulty - faults.length} more`);
  throw usage(`${faulty} of ${rows} rows are invalid. Nothing was imported.`, ...faults);
}

/** Looks up the tenants named in the file, page by page. Throws if any of them don't exist. */
async function refuseUnknownTenants(client: Client, wanted: ReadonlySet<string>): Promise<void> {
  if (wanted.size > TENANTS_CHECKED_MAX) return;
  const missing = new Set(wanted);
  for await (const { items } of client.pages('GET /v1/tenants', {
    query: { limit: LIST_LIMIT_MAX },
    pagesMax: 1_000_000,
  })) {
    for (const { id, external_id } of items) {
      missing.delete(id);
      missing.delete(`ext:${external_id}`);
    }
    if (missing.size === 0) return;
  }
  const names = [...missing].slice(0, FAULTS_SHOWN_MAX).map((name) => name.replace(/^ext:/, ''));
  const tenants = missing.size === 1 ? "1 tenant doesn't" : `${missing.size} tenants don't`;
  throw refused(`${tenants} exist. Nothing was imported.`, ...names);
}

type Job = { source: Source; place: Place; client: Client; size: number; rows: number };

async function importFile(
  context: Context,
  { source, place, client, size, rows }: Job,
): Promise<void> {
  const { output, terminal } = context;
  const progress = openProgress(terminal, output);
  const known: number[] = [];
  const total = { rows: 0, imported: 0, known: 0 };
  try {
    for await (const { batch, bytesRead } of batchesOf(source)) {
      const sent = await sendBatch(client, place, batch);
      total.rows += batch.length;
      total.imported += sent.imported.length;
      total.known += sent.known.length;
      known.push(...sent.known.slice(0, LINES_SHOWN_MAX - known.length));
      const ids = sent.imported.map(({ id }) => id);
      output.part({ json: { lines: linesOf(batch), ids, known: sent.known }, ids });
      progress.show(bytesRead / size, `${total.rows} of ${rows} rows, ${total.imported} imported`);
    }
  } finally {
    progress.end();
  }
  output.part({ json: total, sentence: `Imported ${total.imported} keys.` });
  if (total.known === 0) return;
  const more = total.known > known.length ? ', …' : '';
  output.note(
    `Rows skipped because their key already exists: ${total.known} (${known.length === 1 ? 'line' : 'lines'} ` +
      `${known.join(', ')}${more}). Such a key was imported earlier, appears twice in the file, ` +
      'or was issued by this deployment.',
  );
}

/** Returns the lines on which a batch's first and last rows start. */
const linesOf = (batch: readonly BatchRow[]) => [batch.at(0)?.line, batch.at(-1)?.line];

/** Splits rows into batches that stay within the limits of a single call. */
async function* batchesOf(
  source: Source,
): AsyncGenerator<{ batch: BatchRow[]; bytesRead: number }> {
  let batch: BatchRow[] = [];
  let chars = 0;
  let read = 0;
  for await (const { line, key, bytesRead } of rowsOf(source)) {
    if (key instanceof InvalidRow)
      throw new UnreadableLine(line, `${key.message}: the file changed during the import`);
    const length = JSON.stringify(key).length;
    if (
      batch.length === IMPORT_KEYS_MAX ||
      (batch.length > 0 && chars + length > BATCH_CHARS_MAX)
    ) {
      yield { batch, bytesRead: read };
      batch = [];
      chars = 0;
    }
    batch.push({ line, key });
    chars += length;
    read = bytesRead;
  }
  if (batch.length > 0) yield { batch, bytesRead: read };
}
