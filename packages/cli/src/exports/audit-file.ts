// The file of an exported audit log: a header, then one row per line. Each row contains only its
// hash and the fields that the hash covers. Rows are checked before they are written, and again
// when an export is continued.
import { type FileHandle, open } from 'node:fs/promises';
import {
  type ChainedFields,
  chainedFields,
  GENESIS_HASH,
} from '@keyrail/protocol/wire/audit-chain.ts';
import { hashOfRow } from '@keyrail/protocol/wire/audit-hash.ts';
import { refused, usage } from '../failures.ts';

type ExportedRow = ChainedFields & { seq: number; hash: string };

type AuditFile = {
  readonly seq: number;
  /** Checks the next rows, and writes them to the file. */
  append(rows: readonly ExportedRow[]): Promise<void>;
  /** Waits until everything is on disk. */
  close(): Promise<void>;
};

type Wanted = { path: string; workspaceId: string; since: number | undefined };

/**
 * The last row that was checked. `hash` is null if it is unknown, because the export starts after
 * that row.
 */
type Position = { seq: number; hash: string | null };

export async function openAuditFile({ path, workspaceId, since }: Wanted): Promise<AuditFile> {
  const made = await createFile(path);
  const file = made ?? (await reopen(path));
  try {
    const first = { seq: since ?? 0, hash: since ? null : GENESIS_HASH };
    const last = made ? first : await lastRowIn(file, { path, workspaceId, since });
    const header = { object: 'audit_export', workspace_id: workspaceId, since: first.seq };
    if (made) await file.appendFile(`${JSON.stringify(header)}\n`);
    return writerAt(file, workspaceId, last);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Creates the file; null if it already exists. It contains names, so only its owner may read it.
 */
async function createFile(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'ax', 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return null;
    throw usage(`Can't create ${path}: ${error instanceof Error ? error.message : error}`);
  }
}

const reopen = (path: string): Promise<FileHandle> =>
  open(path, 'a+').catch((error: Error) => {
    throw usage(`Can't open ${path}: ${error.message}`);
  });

function writerAt(file: FileHandle, workspaceId: string, last: Position): AuditFile {
  const position = { ...last };
  return {
    get seq() {
      return position.seq;
    },
    async append(rows) {
      let text = '';
      for (const row of rows) {
        take(position, workspaceId, row);
        const fields = chainedFields.map((name): [string, unknown] => [name, row[name]]);
        text += `${JSON.stringify(Object.fromEntries([...fields, ['hash', row.hash]]))}\n`;
      }
      await file.appendFile(text);
    },
    async close() {
      await file.sync();
      await file.close();
    },
  };
}

/** Advances the position to the next row. Throws if that row does not continue the chain. */
function take(position: Position, workspaceId: string, row: ExportedRow): void {
  const wanted = position.seq + 1;
  if (row.seq !== wanted) {
    const hint = "A test key can't see every entry. Export with a live key or your own login.";
    throw refused(`Entry ${wanted} is missing from the audit log.`, hint);
  }
  if (position.hash !== null && row.prev_hash !== position.hash) {
    throw refused(`Entry ${wanted} doesn't link to the previous entry.`);
  }
  if (hashOfRow(workspaceId, row) !== row.hash) {
    throw refused(`Entry ${wanted} doesn't match its hash.`);
  }
  position.seq = row.seq;
  position.hash = row.hash;
}

/** Checks the file to be continued, and removes its last line if the line is incomplete. */
async function lastRowIn(file: FileHandle, { path, workspaceId, since }: Wanted) {
  let position: Position | null = null;
  let bytes = 0;
  let torn = 0;
  for await (const { text, isWhole } of linesOf(file)) {
    if (!isWhole) {
      torn = Buffer.byteLength(text);
      break;
    }
    bytes += Buffer.byteLength(text) + 1;
    const line = objectIn(text, path);
    if (position === null) position = startOf(line, path, workspaceId);
    else take(position, workspaceId, rowIn(line, path));
  }
  if (position === null) throw usage(`${path} isn't an audit log export.`);
  if (position.seq !== since) {
    throw usage(`${path} ends at entry ${position.seq}.`, `Continue with: --since ${position.seq}`);
  }
  if (torn > 0) await file.truncate(bytes);
  return position;
}

function startOf(line: Record<string, unknown>, path: string, workspaceId: string): Position {
  const { object, since, workspace_id: id } = line;
  if (object !== 'audit_export' || typeof since !== 'number') {
    throw usage(`${path} isn't an audit log export.`);
  }
  if (id !== workspaceId) throw usage(`${path} was exported from another workspace.`);
  return { seq: since, hash: since === 0 ? GENESIS_HASH : null };
}

function rowIn(line: Record<string, unknown>, path: string): ExportedRow {
  const { seq, hash, id, occurred_at, actor_type, actor_id, action } = line;
  const { target_type, target_id, payload, prev_hash } = line;
  if (typeof seq !== 'number' || typeof hash !== 'string') {
    throw usage(`${path} contains a line that isn't an audit log entry.`);
  }
  const about = { actor_type, actor_id, action, target_type, target_id };
  return { ...about, seq, hash, id, occurred_at, payload, prev_hash };
}

function objectIn(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // The error below also covers text that can't be parsed.
  }
  throw usage(`${path} contains a line that isn't JSON.`);
}

/** `isWhole` is false for a last line without a line break. */
async function* linesOf(file: FileHandle): AsyncGenerator<{ text: string; isWhole: boolean }> {
  let rest = '';
  const stream = file.createReadStream({ encoding: 'utf8', start: 0, autoClose: false });
  for await (const chunk of stream) {
    const parts = `${rest}${chunk}`.split('\n');
    rest = parts.pop() ?? '';
    for (const text of parts) yield { text, isWhole: true };
  }
  if (rest !== '') yield { text: rest, isWhole: false };
}
