// Verifies the signature of one response of the feed (RFC 9421), and the digest of its body (RFC
// 9530). A response without a signature is rejected, just like one with a wrong signature.
import { createHash, verify } from 'node:crypto';
import {
  FEED_LABEL,
  readSignatureParams,
  signatureBase,
} from '@keyrail/protocol/wire/feed-signature.ts';
import { InvalidContent } from '../../json.ts';
import type { FeedKeys } from './feed-keys.ts';

/** Thrown unless it is proven that the control plane sent this response to this request. */
export class Unproven extends InvalidContent {
  /** No list of keys was available, so nothing was verified. */
  readonly isUndecided: boolean;

  constructor(why: string, isUndecided = false) {
    super(`the response could not be verified: ${why}`);
    this.isUndecided = isUndecided;
  }
}

/** The headers needed to verify a response; each is null if it is missing. */
type ProofHeaders = {
  etag: string | null;
  digest: string | null;
  input: string | null;
  signature: string | null;
};

export type ReceivedAnswer = ProofHeaders & {
  status: number;
  /** Path and query of the request. */
  target: string;
  /** The uncompressed body. */
  bytes: Uint8Array;
};

type Signer = { kid: string; created: number };

const HEADER_CHARS_MAX = 8192;
const SIGNATURE = /^:([A-Za-z\d+/]{86}==):$/;
const OK = 200;
const NOT_MODIFIED = 304;

/**
 * Throws Unproven. Returns the key that signed the response, and the signing time in seconds since
 * 1970.
 */
export async function verifyAnswer(answer: ReceivedAnswer, keys: FeedKeys): Promise<Signer> {
  const { status, target, bytes } = answer;
  if (status !== OK && status !== NOT_MODIFIED) throw new Unproven(`its status is ${status}`);
  const etag = present(answer.etag, 'ETag');
  const params = memberOf(present(answer.input, 'Signature-Input'), FEED_LABEL);
  const signed = memberOf(present(answer.signature, 'Signature'), FEED_LABEL);
  const digest = status === OK ? present(answer.digest, 'Content-Digest') : null;
  const signer = readSignatureParams(params, { digest });
  if (!signer)
    throw new Unproven('its signature covers unexpected fields, or has unexpected parameters');
  const signature = signatureIn(signed);
  const key = await keys.find(signer.kid);
  if (key === 'no list') throw new Unproven("the feed's keys have not been loaded yet", true);
  if (key === 'unknown') throw new Unproven('it was signed by an unknown key');
  const base = signatureBase({ status, digest, etag, target }, params);
  if (!verify(null, Buffer.from(base), key, signature)) {
    throw new Unproven('its signature is wrong, or is for another request');
  }
  checkBody(bytes, digest);
  return signer;
}

/** Decodes a signature, and rejects any other encoding of the same bytes. */
function signatureIn(text: string): Buffer {
  const bytes = Buffer.from(SIGNATURE.exec(text)?.[1] ?? '', 'base64');
  if (`:${bytes.toString('base64')}:` === text) return bytes;
  throw new Unproven('its signature is malformed');
}

function checkBody(bytes: Uint8Array, digest: string | null): void {
  if (digest === null) {
    if (bytes.length > 0) throw new Unproven('its body is not covered by the signature');
    return;
  }
  const found = `:${createHash('sha256').update(bytes).digest('base64')}:`;
  if (memberOf(digest, 'sha-256') !== found) throw new Unproven('its body was altered');
}

function present(value: string | null, name: string): string {
  if (value === null || value.length > HEADER_CHARS_MAX) {
    throw new Unproven(`it has no usable ${name} header`);
  }
  return value;
}

/** Returns a member of a dictionary (RFC 9651). It must occur exactly once. */
function memberOf(dictionary: string, key: string): string {
  const found = membersOf(dictionary).filter((member) => member.startsWith(`${key}=`));
  const [member] = found;
  if (member === undefined || found.length > 1)
    throw new Unproven(`it does not have exactly one "${key}"`);
  return member.slice(key.length + 1);
}

/** Splits at commas outside strings. */
function membersOf(dictionary: string): string[] {
  const parts = dictionary.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? [];
  return parts.map((part) => part.trim());
}
