// Where a page of a snapshot ends, as its cursor says it: of which feed, at which version, after
// which key.
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

/** A cursor of another project or filter would skip keys: it is refused. */
export function positionIn(
  position: readonly string[],
  filter: FeedFilter,
): EntryPosition & { version: number } {
  const [feed, version, shelf, createdAt = '', id = ''] = position;
  if (feed !== feedName(filter)) {
    throw invalid('query', [{ path: 'cursor', message: 'This cursor is of another feed.' }]);
  }
  return { version: Number(version), shelf: Number(shelf), createdAt: new Date(createdAt), id };
}
