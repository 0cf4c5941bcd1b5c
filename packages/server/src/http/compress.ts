// Compresses large responses off the event loop, for clients that accept compression.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { JsonText } from '../base/json-text.ts';

const WORTH_IT_BYTES = 1024;
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

type Encoding = 'br' | 'gzip';
type Compressed = { encoding: Encoding; bytes: Buffer };

const compress: Record<Encoding, (text: string) => Promise<Buffer>> = {
  br: (text) => toBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (text) => toGzip(text, { level: GZIP_LEVEL }),
};

/** Compressed texts. The same change is sent to every polling node, but compressed only once. */
const results = new WeakMap<JsonText, { [E in Encoding]?: Promise<Buffer> }>();

/** Null if the client accepts neither encoding, or the text is too short. */
export async function compressed(json: JsonText, accepted: string): Promise<Compressed | null> {
  const { text } = json;
  if (text.length < WORTH_IT_BYTES) return null;
  const encoding = (['br', 'gzip'] as const).find((each) => takes(accepted, each));
  if (encoding === undefined) return null;
  const known = results.get(json) ?? {};
  results.set(json, known);
  known[encoding] ??= compress[encoding](text);
  return { encoding, bytes: await known[encoding] };
}

/** Whether the header lists the encoding without excluding it by `q=0`. */
export const takes = (accepted: string, encoding: string): boolean =>
  accepted.split(',').some((part) => {
    const [name, ...params] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return name === encoding && !params.some((param) => /^q=0(\.0*)?$/.test(param));
  });
