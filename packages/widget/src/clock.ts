// The clock of the browser.
export const nowMs = (): number => Date.now();
