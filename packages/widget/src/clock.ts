// The browser's clock.
export const nowMs = (): number => Date.now();
