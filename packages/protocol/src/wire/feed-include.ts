// Optional fields that a node can request in the policy feed's entries, in alphabetical order.

export const feedIncludes = ['external_id', 'meta'] as const;
export type FeedInclude = (typeof feedIncludes)[number];
