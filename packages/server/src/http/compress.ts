// Compression of large answers, for callers that take it. Off the event loop.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const WORTH_IT_BYTES = 1024;
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

export type Compressed = { encoding: 'br' | 'gzip'; bytes: Buffer };

/** Null when the caller takes neither, or it is not worth the while. */
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

/** Named, and not with the weight zero that means "anything but". */
const takes = (accepted: string, encoding: string): boolean =>
  accepted.split(',').some((part) => {
    const [name, ...params] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return name === encoding && !params.some((param) => /^q=0(\.0*)?$/.test(param));
  });
