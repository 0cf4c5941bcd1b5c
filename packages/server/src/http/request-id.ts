// Request IDs. The caller may choose the ID, and the ID appears in the log and in the response. So
// if it looks like a credential (because headers were mixed up, for example), it is replaced.

/** Parts of credentials from Keyrail and other products, in lowercase. */
const MARKS = ['krsk', 'krses', 'kr_', '_live_', '_test_', 'whsec'];

/** How each JSON part of a JSON Web Token (such as an embed token) begins: `{"` in base64url. */
const JWT_MARK = 'eyJ';

/** Runs of this length are treated as random tokens; a UUID has only 36 of these characters. */
const TOKEN = /[\w-]{40,}/;
/** Trace IDs have this form: groups of hex digits, none longer than a UUID without dashes. */
const TRACE = /^[\da-f]{1,32}(?:-[\da-f]{1,32})*$/i;

export function chosenRequestId(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string' || !/^[\w.:-]{1,128}$/.test(value)) return undefined;
  const folded = value.toLowerCase();
  if (MARKS.some((mark) => folded.includes(mark))) return undefined;
  if (hasTokenPart(value)) return undefined;
  return TOKEN.test(value) && !TRACE.test(value) ? undefined : value;
}

/** Whether the text before the last dot contains the beginning of a JSON Web Token. */
const hasTokenPart = (value: string): boolean =>
  value.slice(0, Math.max(value.lastIndexOf('.'), 0)).includes(JWT_MARK);
