// Opaque cursors. Only cursors that this deployment issued for the same list are accepted.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalid } from '../base/errors.ts';

const MAC_BYTES = 12;

export type Cursors = {
  issue(binding: string, position: readonly string[]): string;
  /** Returns the position in a cursor; throws 400 if the cursor is not valid. */
  read(binding: string, cursor: string): string[];
};

/** The binding identifies the list and the workspace for which a cursor is valid. */
export function createCursors(key: Buffer): Cursors {
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
      // The decoder accepts several encodings of the same bytes; only the issued encoding is valid.
      const isOurs =
        bytes.length > MAC_BYTES &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(mac, macOf(binding, text));
      if (!isOurs) {
        throw invalid('query', [{ path: 'cursor', message: 'This cursor is not valid.' }]);
      }
      return JSON.parse(text);
    },
  };
}
