// When a server says how long to wait.

/** The wait that the headers ask for, or null when they ask for none that can be read. */
export function retryAfterMsOf(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // A date is held against the server's own clock: the caller's may be off.
  const wait = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}
