// Pages through a list with one request per page. The next cursor is taken from the Link header.
import { KeyrailUnreachable } from './errors.ts';
import { type Exchange, jsonOf } from './response.ts';

const PAGES_MAX_DEFAULT = 1_000;

type AnyPage = { items: unknown[]; cursor: string | null };

type Walk = {
  query?: { readonly cursor?: unknown } | undefined;
  pagesMax?: number | undefined;
};

/** Fetches pages with `fetchPage` until there is no next cursor. */
export async function* walkPages(
  fetchPage: (cursor: string | undefined) => Promise<Exchange>,
  { query, pagesMax = PAGES_MAX_DEFAULT }: Walk,
): AsyncGenerator<AnyPage, void> {
  let cursor = typeof query?.cursor === 'string' ? query.cursor : undefined;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const exchange = await fetchPage(cursor);
    const next = nextCursorOf(exchange.headers);
    yield { items: itemsOf(jsonOf(exchange)), cursor: next };
    if (next === null) return;
    cursor = next;
  }
  throw new RangeError(`The list has more than ${pagesMax} pages.`);
}

function itemsOf(body: unknown): unknown[] {
  const items = typeof body === 'object' && body !== null && 'data' in body ? body.data : null;
  if (Array.isArray(items)) return items;
  throw new KeyrailUnreachable('answer', 'The response is not a list.');
}

/**
 * Returns the cursor of the next page, or null on the last page. Nothing else in the link is used,
 * so a response cannot redirect the credential to a different URL.
 */
export function nextCursorOf(headers: Headers): string | null {
  const [, ...links] = (headers.get('link') ?? '').split('<');
  for (const link of links) {
    const [target = '', ...parameters] = link.split('>');
    if (!isNext(parameters.join('>'))) continue;
    const query = target.slice(target.indexOf('?') + 1);
    return new URLSearchParams(query).get('cursor');
  }
  return null;
}

/** Whether a link's parameters, such as `; rel="next"`, mark it as the next page. */
const isNext = (parameters: string): boolean =>
  parameters.split(';').some((parameter) => {
    const [name = '', relations = ''] = parameter.toLowerCase().split('=');
    return name.trim() === 'rel' && relations.split(/[\s",]+/).includes('next');
  });
