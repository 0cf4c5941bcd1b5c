// The one place that reads the clock of the browser.

export const nowMs = (): number => Date.now();
