// Names of feed answers: what was asked for, and the version it is of.
import { envScopeOf, type FeedFilter, tenantScopeOf } from './filter.ts';

export const etagOf = (kind: 'snap' | 'delta', filter: FeedFilter, version: number): string =>
  `W/"${kind}:${filter.projectId}:${envScopeOf(filter)}:${tenantScopeOf(filter)}:${version}"`;

/** Whether a caller already has what would be answered; any of several tags may say so. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((known) => known.trim() === etag || known.trim() === '*');
