// The body of a denial as a header, for proxies such as nginx that only keep the headers of the
// response to their own request.

export const DENIAL_HEADER = 'X-Keyrail-Denial';

/** nginx has 4 KiB for the headers of a response. */
const CHARS_MAX = 2000;

/** The same JSON in printable ASCII; without the scopes if they are too many. */
export function denialHeader(body: string): string {
  const text = inAscii(body);
  if (text.length <= CHARS_MAX) return text;
  const { code, message } = JSON.parse(body).error;
  return inAscii(JSON.stringify({ error: { code, message } }));
}

const UNSAFE = /[^\x20-\x7e]/;
const EACH_UNSAFE = /[^\x20-\x7e]/g;

const inAscii = (json: string): string =>
  UNSAFE.test(json)
    ? json.replaceAll(
        EACH_UNSAFE,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : json;
