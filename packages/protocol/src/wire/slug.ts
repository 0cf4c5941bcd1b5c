// The format of workspace and project slugs.
import { SLUG_CHARS_MAX, SLUG_CHARS_MIN } from './limits.ts';

export const SLUG = new RegExp(
  `^[a-z0-9][a-z0-9-]{${SLUG_CHARS_MIN - 2},${SLUG_CHARS_MAX - 2}}[a-z0-9]$`,
);
