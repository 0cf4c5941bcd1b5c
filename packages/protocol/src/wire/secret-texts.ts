// Finds credentials anywhere in text that people type or paste. Such text must not end up in a URL,
// because browser histories and proxies store URLs.
import { SHOWN_BODY_CHARS } from './limits.ts';

/** Matches a credential, of which only the display prefix may be shown. */
const CREDENTIAL = new RegExp(
  `((?:kr_(?:live|test)|krsk_(?:live|test)|krses)_[\\w-]{${SHOWN_BODY_CHARS}})[\\w-]+`,
  'gi',
);
const SIGNING_SECRET = /(whsec_)[\w+/=%-]+/gi;
/**
 * Matches a bearer credential, including one from another product. The space after `Bearer` may be
 * URL-encoded.
 */
const BEARER = /\b(bearer)(?:\s|\+|%20)+([^\s&#]+)/gi;

/** Replaces each credential in the text with its display prefix. */
export const withoutSecrets = (text: string): string =>
  text
    .replace(CREDENTIAL, '$1')
    .replace(SIGNING_SECRET, '$1')
    .replace(BEARER, (_, word: string, token: string) => (/^kr/i.test(token) ? token : word));

export const looksSecret = (text: string): boolean => withoutSecrets(text) !== text;
