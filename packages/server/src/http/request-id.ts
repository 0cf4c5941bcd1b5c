// The ID of a request. A caller may choose it, and it appears in the log and in the response. So a
// caller's ID that looks like a credential is replaced, for example when headers were mixed up.

/** Parts of credentials from Keyrail and other products, in lowercase. */
const MARKS = ['krsk', 'krses', 'kr_', '_live_', '_test_', 'whsec'];

/** How a part of a JSON Web Token, such as an embed token, begins: `{"` in base64url. */
const JWT_MARK = 'eyJ';

/** Longer runs of these characters are random tokens; a UUID has 36. */
const TOKEN = /[\w-]{40,}/;
/** The form of trace IDs: pieces of hex, none longer than a UUID without dashes. */
const TRACE = /^[\da-f]{1,32}(?:-[\da-f]{1,32})*$/i;

export function chosenRequestId(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string' || !/^[\w.:-]{1,128}$/.test(value)) return undefined;
  const folded = value.toLowerCase();
  if (MARKS.some((mark) => folded.includes(mark))) return undefined;
  if (hasTokenPart(value)) return undefined;
  return TOKEN.test(value) && !TRACE.test(value) ? undefined : value;
}

/** Whether a piece before a dot looks like part of a token. */
const hasTokenPart = (value: string): boolean =>
  value.slice(0, Math.max(value.lastIndexOf('.'), 0)).includes(JWT_MARK);
