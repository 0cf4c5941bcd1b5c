// Compresses large responses for clients that accept it, off the event loop.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const WORTH_IT_BYTES = 1024;
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

type Compressed = { encoding: 'br' | 'gzip'; bytes: Buffer };

/** Null if the client accepts neither encoding, or the text is too short. */
export async function compressed(text: string, accepted: string): Promise<Compressed | null> {
  if (text.length < WORTH_IT_BYTES) return null;
  if (takes(accepted, 'br')) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    return { encoding: 'br', bytes: await toBrotli(text, { params }) };
  }
  if (takes(accepted, 'gzip')) {
    return { encoding: 'gzip', bytes: await toGzip(text, { level: GZIP_LEVEL }) };
  }
  return null;
}

/** Whether the header lists the encoding, and not with `q=0`, which excludes it. */
export const takes = (accepted: string, encoding: string): boolean =>
  accepted.split(',').some((part) => {
    const [name, ...params] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return name === encoding && !params.some((param) => /^q=0(\.0*)?$/.test(param));
  });
