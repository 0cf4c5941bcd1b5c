// What the policy feed can add to its entries, sorted.

export const feedIncludes = ['external_id', 'meta'] as const;
export type FeedInclude = (typeof feedIncludes)[number];
