// Repeats the body of a denial in a header, for proxies such as nginx that discard the body of
// Edge's response and keep only its headers.

export const DENIAL_HEADER = 'X-Keyrail-Denial';

/** By default, nginx accepts at most 4 KiB of response headers. */
const CHARS_MAX = 2000;

/** Converts the JSON to printable ASCII. If it is too long, the missing scopes are left out. */
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
