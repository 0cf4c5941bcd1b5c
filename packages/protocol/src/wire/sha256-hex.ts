/** A SHA-256 in lowercase hex. */
export const SHA256_HEX = /^[0-9a-f]{64}$/;
