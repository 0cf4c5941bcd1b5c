// The header that names the next page.

const LINK = /<([^>]*)>((?:\s*;\s*[\w*]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)/g;

/**
 * The cursor of the next page, or null on the last. Only the cursor is taken from the link: a
 * credential never follows a link to another place.
 */
export function nextCursorOf(headers: Headers): string | null {
  for (const [, target = '', parameters = ''] of (headers.get('link') ?? '').matchAll(LINK)) {
    if (!/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next(?=\s*(?:;|$)))/i.test(parameters)) {
      continue;
    }
    const query = target.slice(target.indexOf('?') + 1);
    return new URLSearchParams(query).get('cursor');
  }
  return null;
}
