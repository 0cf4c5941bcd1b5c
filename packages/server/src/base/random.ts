// Chance as a part that is handed in, so that a test can seed it.
import { randomFillSync } from 'node:crypto';

export type RandomBytes = (length: number) => Uint8Array;

export const systemRandomBytes: RandomBytes = (length) => randomFillSync(new Uint8Array(length));
