// A stored response. Its headers and body are encrypted together, so that they can't be read in the
// database. The encryption is bound to the scope, so a response copied to another scope can't be
// decrypted there.
import type { BoundSealing } from '../../base/sealing.ts';
import type { Reach } from '../../doors/reach.ts';
import type { Scope } from './rows.ts';

export type StoredResponse = {
  headers: Record<string, string>;
  /** Null if the response had no body or the body wasn't stored. */
  body: Buffer | null;
};

type Owner = Pick<Reach, 'workspaceId'> & Scope;

const contextOf = ({ workspaceId, env, scopeHash }: Owner): string =>
  `${workspaceId} ${env} ${scopeHash}`;

export const sealResponse = (
  sealing: BoundSealing,
  owner: Owner,
  response: StoredResponse,
): Buffer => sealing.seal(packed(response), contextOf(owner));

/**
 * Decrypts a stored response. A response that was altered, or encrypted with a different master
 * key, is treated as not stored. It must not cause an error, because the request has been carried
 * out and must not run again.
 */
export function openResponse(sealing: BoundSealing, owner: Owner, sealed: Buffer): StoredResponse {
  try {
    return unpacked(sealing.unseal(sealed, contextOf(owner)));
  } catch {
    return { headers: {}, body: null };
  }
}

/** Layout: header length (4 bytes), whether there is a body (1 byte), headers as JSON, body. */
const PREFIX_BYTES = 5;

function packed({ headers, body }: StoredResponse): Buffer {
  const text = Buffer.from(JSON.stringify(headers));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(text.length, 0);
  prefix.writeUInt8(body === null ? 0 : 1, PREFIX_BYTES - 1);
  return Buffer.concat(body === null ? [prefix, text] : [prefix, text, body]);
}

function unpacked(bytes: Buffer): StoredResponse {
  const bodyAt = PREFIX_BYTES + bytes.readUInt32BE(0);
  const hasBody = bytes.readUInt8(PREFIX_BYTES - 1) === 1;
  return {
    headers: JSON.parse(bytes.toString('utf8', PREFIX_BYTES, bodyAt)),
    body: hasBody ? bytes.subarray(bodyAt) : null,
  };
}
