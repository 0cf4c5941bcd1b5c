// ETags of feed responses: the kind, the filter and the version.
import { envScopeOf, type FeedFilter, tenantScopeOf } from './filter.ts';

export const etagOf = (kind: 'snap' | 'delta', filter: FeedFilter, version: number): string =>
  `W/"${kind}:${filter.projectId}:${envScopeOf(filter)}:${tenantScopeOf(filter)}:${version}"`;

/**
 * Whether If-None-Match lists the ETag of the response. The comparison is weak, as RFC 9110
 * demands: a proxy may have turned a weak tag into a strong one.
 */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '')
    .split(',')
    .map((known) => known.trim())
    .some((known) => known === '*' || opaque(known) === opaque(etag));

const opaque = (etag: string): string => etag.replace(/^W\//, '');
