// Streams the rows of an import file, which contains either CSV with a header or one JSON object
// per line.
import { createReadStream } from 'node:fs';
import { CsvReader, ROW_CHARS_MAX, UnreadableLine } from './csv.ts';
import {
  fieldNames,
  fieldsOfCells,
  type ImportedKey,
  InvalidRow,
  jsonIn,
  keyOf,
  unknownText,
} from './key-row.ts';

export const formats = ['csv', 'jsonl'] as const;

export type Source = { path: string; format: (typeof formats)[number]; isPlain: boolean };

type FileRow = {
  /** The line on which the row starts. */
  line: number;
  /** The key, or what is wrong with the row. */
  key: ImportedKey | InvalidRow;
  /** How many bytes of the file have been read. */
  bytesRead: number;
};

/** Determines the format from the file name extension; null if the extension is unknown. */
export const formatOf = (path: string): Source['format'] | null => {
  if (/\.csv$/i.test(path)) return 'csv';
  return /\.(jsonl|ndjson)$/i.test(path) ? 'jsonl' : null;
};

/** Throws UnreadableLine if the rest of the file can't be read. */
export function rowsOf(source: Source): AsyncGenerator<FileRow> {
  return source.format === 'csv' ? csvRows(source) : jsonRows(source);
}

async function* csvRows({ path, isPlain }: Source): AsyncGenerator<FileRow> {
  const reader = new CsvReader();
  let names: string[] | null = null;
  for await (const { text, bytesRead } of textOf(path)) {
    for (const { line, cells } of text === null ? reader.end() : reader.push(text)) {
      if (cells.length === 1 && cells[0] === '') continue;
      if (names === null) names = headerOf(cells, isPlain);
      else {
        const columns = names;
        yield { line, key: tried(() => keyOf(fieldsOfCells(columns, cells), isPlain)), bytesRead };
      }
    }
  }
  if (names === null) throw new UnreadableLine(1, 'the file has no header');
}

function headerOf(cells: readonly string[], isPlain: boolean): string[] {
  const names = cells.map((cell) => cell.trim());
  const known = fieldNames(isPlain);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new UnreadableLine(1, `the header ${unknownText(unknown, isPlain)}`);
  }
  if (new Set(names).size < names.length) throw new UnreadableLine(1, 'a column appears twice');
  return names;
}

async function* jsonRows({ path, isPlain }: Source): AsyncGenerator<FileRow> {
  let rest = '';
  let line = 0;
  for await (const { text, bytesRead } of textOf(path)) {
    const lines = `${rest}${text ?? ''}`.split('\n');
    rest = text === null ? '' : (lines.pop() ?? '');
    for (const each of lines) {
      line += 1;
      if (each.trim() === '') continue;
      yield { line, key: tried(() => keyOf(jsonIn(each, 'the line'), isPlain)), bytesRead };
    }
    if (rest.length > ROW_CHARS_MAX) {
      throw new UnreadableLine(line + 1, `a line has more than ${ROW_CHARS_MAX} characters`);
    }
  }
}

function tried(read: () => ImportedKey): ImportedKey | InvalidRow {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidRow) return error;
    throw error;
  }
}

/** Reads a file's text in pieces, followed by null. Any byte order mark is skipped. */
async function* textOf(path: string): AsyncGenerator<{ text: string | null; bytesRead: number }> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytesRead = 0;
  const decoded = (chunk?: Buffer): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new UnreadableLine(1, 'the file is not UTF-8 text');
    }
  };
  for await (const chunk of createReadStream(path)) {
    bytesRead += chunk.length;
    yield { text: decoded(chunk), bytesRead };
  }
  yield { text: decoded(), bytesRead };
  yield { text: null, bytesRead };
}
