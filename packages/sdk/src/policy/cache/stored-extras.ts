// Reads and writes extras (additional data about keys) in the policy file. They are JSON in pieces
// of bounded size, so that neither writing nor reading them blocks the event loop for long.
import { InvalidContent, readInteger, readList } from '../../json.ts';
import type { Extra, PolicyTable } from '../table/table.ts';
import { readExtra } from './stored-keys.ts';

const LENGTH_BYTES = 4;
const EXTRAS_PER_PIECE = 1_000;
/** A piece ends at this length, but a single extra may be longer. */
const CHARS_PER_PIECE = 2 ** 20;
const LINK_MAX = 2 ** 26;

/**
 * Each piece is a length prefix followed by a list of extras, each with the link to its key's IDs.
 */
export function* extraPieces(extras: readonly [number, Extra][]): Generator<Buffer> {
  let texts: string[] = [];
  let chars = 0;
  for (const pair of extras) {
    const text = JSON.stringify(pair);
    texts.push(text);
    chars += text.length;
    if (texts.length < EXTRAS_PER_PIECE && chars < CHARS_PER_PIECE) continue;
    yield pieceOf(texts);
    texts = [];
    chars = 0;
  }
  if (texts.length > 0) yield pieceOf(texts);
}

function pieceOf(texts: readonly string[]): Buffer {
  const list = Buffer.from(`[${texts.join()}]`);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(list.length);
  return Buffer.concat([length, list]);
}

/** Reads all pieces; throws if they are invalid. */
export async function restoreExtras(
  table: PolicyTable,
  pieces: Buffer,
  breathe: () => Promise<void>,
): Promise<void> {
  for (let at = 0; at < pieces.length; ) {
    const from = at + LENGTH_BYTES;
    at = from + pieces.readUInt32BE(at);
    const pairs: unknown = JSON.parse(pieces.toString('utf8', from, at));
    for (const pair of readList(pairs, 'extras', EXTRAS_PER_PIECE)) table.setExtra(...pairIn(pair));
    await breathe();
  }
}

function pairIn(pair: unknown): [number, Extra] {
  const [link, extra] = readList(pair, 'extras', 2);
  const read = readExtra(extra);
  if (read === undefined) throw new InvalidContent('an included field is missing');
  // A negative link refers to an imported key.
  const size = readInteger(Math.abs(Number(link)), 'extras', LINK_MAX);
  return [Number(link) < 0 ? -size : size, read];
}
