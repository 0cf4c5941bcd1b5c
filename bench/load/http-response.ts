// A minimal HTTP parser that only counts responses. It costs far less than the server being
// measured.

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH_HEADER = /\r\ncontent-length: *(\d+)/i;
const STATUS_START = 9;
const STATUS_END = 12;
const DIGIT_TWO = 0x32;

/** Returns the length of the full response, or null while its headers are incomplete. */
export function responseLength(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  if (isNotModified(bytes)) return headEnd + HEAD_END.length;
  const length = LENGTH_HEADER.exec(bytes.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error(`a response without a length: ${excerpt(bytes)}`);
  return headEnd + HEAD_END.length + Number(length);
}

/** Throws unless the response is a success or a 304. */
export function checkStatus(response: Buffer): void {
  if (response[STATUS_START] === DIGIT_TWO || isNotModified(response)) return;
  throw new Error(`a response that is not a success: ${excerpt(response)}`);
}

const isNotModified = (response: Buffer): boolean =>
  response.toString('latin1', STATUS_START, STATUS_END) === '304';

function excerpt(response: Buffer): string {
  const [head = '', body = ''] = response.toString('latin1').split('\r\n\r\n', 2);
  return `${head.split('\r\n', 1)[0]} ${body.slice(0, 200)}`;
}
