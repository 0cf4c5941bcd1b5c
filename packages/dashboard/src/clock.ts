// The one place that reads the browser's clock.

export const nowMs = (): number => Date.now();
