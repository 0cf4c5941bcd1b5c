// Where a scanner found a token. It is shown to people in a mail, so only what is plainly an
// address is kept, and it is never fetched.

const URL_CHARS_MAX = 2048;

export const foundAtOf = (url: string | null | undefined): string | null =>
  url && url.length <= URL_CHARS_MAX && /^https?:\/\/[\x21-\x7e]+$/.test(url) && URL.canParse(url)
    ? url
    : null;
