// The origins of pages that may use embed tokens. The pattern does not limit the total length.

export const EMBED_ORIGIN = /^https?:\/\/[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$/;
