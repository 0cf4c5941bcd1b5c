// Keys issued by another product: their format and what may be shown of them. Only imports limits,
// so that the SDK and the command line can use the same rules as the control plane.
import {
  DISPLAY_PREFIX_CHARS_MAX,
  DISPLAY_PREFIX_CHARS_MIN,
  IMPORTED_KEY_CHARS_MAX,
  IMPORTED_KEY_CHARS_MIN,
} from './limits.ts';

const PRINTABLE = /^[ -~]*$/;
/** How every Keyrail credential starts. */
const OWN = /^kr(?:sk|ses)?_/;

export const DISPLAY_PREFIX = new RegExp(
  `^[ -~]{${DISPLAY_PREFIX_CHARS_MIN},${DISPLAY_PREFIX_CHARS_MAX}}$`,
);

/** Whether a string starts like a Keyrail credential. */
export const looksOwn = (text: string): boolean => OWN.test(text);

/** Whether a string can be an imported key. Nodes reject everything else without hashing it. */
export const isImportable = (text: string): boolean =>
  text.length >= IMPORTED_KEY_CHARS_MIN &&
  text.length <= IMPORTED_KEY_CHARS_MAX &&
  !looksOwn(text) &&
  PRINTABLE.test(text);
