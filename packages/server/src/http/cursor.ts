// Cursors: opaque, and only those that this deployment issued for this very list are accepted.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalid } from '../base/errors.ts';

const MAC_BYTES = 12;

export type Cursors = {
  issue(binding: string, position: readonly string[]): string;
  /** The position a cursor stands for, or a 400. */
  read(binding: string, cursor: string): string[];
};

/** The binding names list and workspace: a cursor means nothing anywhere else. */
export function cursorsUnder(key: Buffer): Cursors {
  const macOf = (binding: string, text: string): Buffer =>
    createHmac('sha256', key).update(`${binding}\n${text}`).digest().subarray(0, MAC_BYTES);
  return {
    issue(binding, position) {
      const text = JSON.stringify(position);
      return Buffer.concat([macOf(binding, text), Buffer.from(text)]).toString('base64url');
    },
    read(binding, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const mac = bytes.subarray(0, MAC_BYTES);
      const text = bytes.subarray(MAC_BYTES).toString();
      // The decoder is lax about spelling; only the one that was issued counts.
      const isOurs =
        bytes.length > MAC_BYTES &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(mac, macOf(binding, text));
      if (!isOurs) {
        throw invalid('query', [{ path: 'cursor', message: 'This cursor was never issued.' }]);
      }
      return JSON.parse(text);
    },
  };
}
