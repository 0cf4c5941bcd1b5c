// Everything that needs the browser's clock reads it here.

export const nowMs = (): number => Date.now();
