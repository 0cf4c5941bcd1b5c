// The origins of pages that may use embed tokens. Their total length is limited elsewhere.

export const EMBED_ORIGIN = /^https?:\/\/[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$/;
