// Gets tokens from a function on the page, or from a URL on the vendor's backend.
import type { GetToken, Token } from '../types.ts';

const TOKEN_MS_MAX = 30_000;

/**
 * The full URL for the attribute `token-url`, or null if it isn't on the page's origin. The
 * attribute or a `<base>` element may be injected markup, which must not be able to send the
 * request elsewhere.
 */
export function ownUrl(tokenUrl: string): string | null {
  const link = document.createElement('a');
  link.href = tokenUrl;
  return link.origin === origin ? link.href : null;
}

/** Null if the page has set neither `getToken` nor `token-url`. */
export function tokenSource(
  getToken: GetToken | null,
  tokenUrl: string | null,
  signal: AbortSignal,
): GetToken | null {
  const ask = getToken ?? (tokenUrl ? () => posted(tokenUrl, signal) : null);
  return ask && (async (reason) => checked(await within(TOKEN_MS_MAX, ask(reason), signal)));
}

async function posted(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    credentials: 'same-origin',
    // Redirects aren't followed, because an open redirect on the site could lead to another host.
    redirect: 'error',
    cache: 'no-store',
    headers: { accept: 'application/json' },
    signal,
  });
  if (!response.ok) throw new Error(`token-url responded with status ${response.status}.`);
  return response.json();
}

/**
 * Checks what the page returned. Errors never contain the value itself, because it may include a
 * token.
 */
function checked(value: unknown): Token {
  if (typeof value === 'object' && value !== null && 'token' in value && 'refresh_after' in value) {
    const { token, refresh_after } = value;
    if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) {
      return { token, refresh_after: String(refresh_after) };
    }
  }
  throw new Error('The response must contain token and refresh_after.');
}

function within<T>(ms: number, work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      reject(new Error('Timed out waiting for a token.'));
    };
    const timer = setTimeout(stop, ms);
    signal.addEventListener('abort', stop);
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      });
  });
}
