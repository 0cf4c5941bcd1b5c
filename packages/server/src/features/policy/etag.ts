// Names of feed answers: what was asked for, and the version it is of.
import { envScopeOf, type FeedFilter, tenantScopeOf } from './filter.ts';

export const etagOf = (kind: 'snap' | 'delta', filter: FeedFilter, version: number): string =>
  `W/"${kind}:${filter.projectId}:${envScopeOf(filter)}:${tenantScopeOf(filter)}:${version}"`;

/**
 * Whether a caller already has what would be answered; any of several tags may say so. Compared
 * weakly, as HTTP has it: something on the way may have made a strong tag of a weak one.
 */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '')
    .split(',')
    .map((known) => known.trim())
    .some((known) => known === '*' || opaque(known) === opaque(etag));

const opaque = (etag: string): string => etag.replace(/^W\//, '');
