// Credentials in texts that people type or paste, wherever in the text they are. Such a text must
// not become part of a URL: histories and proxies keep those.

/** The stem and six more characters may be shown; what follows may not. */
const CREDENTIAL = /((?:kr_(?:live|test)|krsk_(?:live|test)|krses)_[\w-]{6})[\w-]+/gi;
const SIGNING_SECRET = /(whsec_)[\w+/=%-]+/gi;
/** Also as an address writes the space. What follows may be the key of another product. */
const BEARER = /\b(bearer)(?:\s|\+|%20)+([^\s&#]+)/gi;

/** The text with display prefixes in place of credentials. */
export const withoutSecrets = (text: string): string =>
  text
    .replace(CREDENTIAL, '$1')
    .replace(SIGNING_SECRET, '$1')
    .replace(BEARER, (_, word: string, token: string) => (/^kr/i.test(token) ? token : word));

export const looksSecret = (text: string): boolean => withoutSecrets(text) !== text;
