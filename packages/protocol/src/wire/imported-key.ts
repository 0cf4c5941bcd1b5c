// Keys issued by another product: their format, and how much of them may be shown. The only import
// is limits.ts, so that the SDK and the CLI can apply the same rules as the control plane.
import {
  DISPLAY_PREFIX_CHARS_MAX,
  DISPLAY_PREFIX_CHARS_MIN,
  IMPORTED_KEY_CHARS_MAX,
  IMPORTED_KEY_CHARS_MIN,
} from './limits.ts';

const PRINTABLE = /^[ -~]*$/;
/** Matches the start of every Keyrail credential. */
const OWN = /^kr(?:sk|ses)?_/;

export const DISPLAY_PREFIX = new RegExp(
  `^[ -~]{${DISPLAY_PREFIX_CHARS_MIN},${DISPLAY_PREFIX_CHARS_MAX}}$`,
);

/** Whether a string starts like a Keyrail credential. */
export const looksOwn = (text: string): boolean => OWN.test(text);

/**
 * Whether a string could be an imported key. Nodes reject all other strings without hashing them.
 */
export const isImportable = (text: string): boolean =>
  text.length >= IMPORTED_KEY_CHARS_MIN &&
  text.length <= IMPORTED_KEY_CHARS_MAX &&
  !looksOwn(text) &&
  PRINTABLE.test(text);
