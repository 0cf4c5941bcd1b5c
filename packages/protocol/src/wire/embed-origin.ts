// The format of an origin whose pages may use embed tokens. Its length is limited elsewhere.

export const EMBED_ORIGIN = /^https?:\/\/[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$/;
