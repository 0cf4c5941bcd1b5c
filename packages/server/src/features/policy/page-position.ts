// The position in a snapshot cursor: the feed, its version, and the last key of the page.
import { invalid } from '../../base/errors.ts';
import { envScopeOf, type FeedFilter, tenantScopeOf } from './filter.ts';
import type { EntryPosition } from './rows.ts';

const feedName = (filter: FeedFilter): string =>
  [filter.projectId, envScopeOf(filter), tenantScopeOf(filter)].join(':');

export const positionOf = (
  { shelf, createdAt, id }: EntryPosition,
  version: number,
  filter: FeedFilter,
): string[] => [feedName(filter), String(version), String(shelf), createdAt.toISOString(), id];

/** Refuses a cursor of another project or filter, which would skip keys. */
export function positionIn(
  position: readonly string[],
  filter: FeedFilter,
): EntryPosition & { version: number } {
  const [feed, version, shelf, createdAt = '', id = ''] = position;
  if (feed !== feedName(filter)) {
    throw invalid('query', [{ path: 'cursor', message: 'This cursor belongs to another feed.' }]);
  }
  return { version: Number(version), shelf: Number(shelf), createdAt: new Date(createdAt), id };
}
