// The bounds of a rate limit that the control plane accepts.
export const LIMIT_MAX = 1_000_000_000;
export const WINDOW_MS_MAX = 2_678_400_000;
