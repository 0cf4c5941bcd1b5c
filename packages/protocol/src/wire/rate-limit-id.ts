import { RATE_LIMIT_ID_CHARS_MAX } from './limits.ts';

export const RATE_LIMIT_ID = new RegExp(`^[a-z0-9][a-z0-9._-]{0,${RATE_LIMIT_ID_CHARS_MAX - 1}}$`);
