// The URL where a scanner found a token. It appears in a mail, so anything but a plain http(s) URL
// is dropped. The server never fetches it.

const URL_CHARS_MAX = 2048;

export const foundAtOf = (url: string | null | undefined): string | null =>
  url && url.length <= URL_CHARS_MAX && /^https?:\/\/[\x21-\x7e]+$/.test(url) && URL.canParse(url)
    ? url
    : null;
