// The browser's clock. All other files read the time through this function.

export const nowMs = (): number => Date.now();
