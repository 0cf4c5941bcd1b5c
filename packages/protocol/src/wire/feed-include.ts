// What the policy feed adds to its entries on request, sorted.

export const feedIncludes = ['external_id', 'meta'] as const;
export type FeedInclude = (typeof feedIncludes)[number];
