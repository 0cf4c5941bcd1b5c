// The optional fields of policy feed entries, sorted by name.

export const feedIncludes = ['external_id', 'meta'] as const;
export type FeedInclude = (typeof feedIncludes)[number];
