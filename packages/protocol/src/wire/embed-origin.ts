// The origins of pages that may use embed tokens. They have a separate length limit.

export const EMBED_ORIGIN = /^https?:\/\/[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$/;
