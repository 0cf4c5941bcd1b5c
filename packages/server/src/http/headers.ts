// Headers that every answer carries. The API is for programs: nothing may be framed, sniffed,
// cached or run, whatever a browser is talked into.

export const apiHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const SECURE_FOR_SECONDS = 31_536_000;

/** Only where the deployment is reached over TLS: on plain HTTP browsers ignore it anyway. */
export const transportHeaders = (publicUrl: string): Record<string, string> =>
  publicUrl.startsWith('https:')
    ? { 'strict-transport-security': `max-age=${SECURE_FOR_SECONDS}; includeSubDomains` }
    : {};
