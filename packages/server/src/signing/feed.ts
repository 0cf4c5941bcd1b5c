// Signs policy feed responses (RFC 9421 and 9530). The signature covers the query, which may
// identify the node, so responses with the same body may have different signatures; but the digest
// of a body sent to many nodes is computed only once.
import { hash, sign } from 'node:crypto';
import { promisify } from 'node:util';
import {
  FEED_LABEL,
  FEED_PURPOSE,
  signatureBase,
  signatureParams,
} from '@keyrail/protocol/wire/feed-signature.ts';
import type { Clock } from '../base/clock.ts';
import { shared } from '../base/coalesce.ts';
import { SECOND_MS } from '../base/duration.ts';
import type { JsonText } from '../base/json-text.ts';
import type { Log } from '../base/log.ts';
import type { SigningKeys } from './keys.ts';

type Answer = { status: 200 | 304; etag: string; target: string };

/** A feed response. The target is its request's path and query. */
type FeedAnswer = Answer & {
  body: JsonText | null;
  /**
   * False if no other request has this target, so keeping its signature would only displace others.
   */
  isShared: boolean;
};

type DigestedAnswer = Answer & { digest: string | null };

type SignatureHeaders = Readonly<Record<string, string>>;

/** Returns the signature headers, or none if there is no signing key or it can't be decrypted. */
export type SignFeed = (answer: FeedAnswer) => Promise<SignatureHeaders>;

type FeedSignerParts = {
  /** The ID of the current signing key; null if there is none. */
  findFeedSigner(): Promise<string | null>;
  signingKeys: Pick<SigningKeys, 'signing'>;
  clock: Clock;
  log: Log;
};

/**
 * How long the signing key's ID is cached. A signature is shared for up to one more second, so this
 * process uses a replaced or retired key for at most five seconds.
 */
const SIGNER_KNOWN_MS = 4 * SECOND_MS;
/**
 * The maximum number of signatures kept so that requests for the same response within the same
 * second can share them.
 */
const SHARED_MAX = 1000;

/** Signs in a separate thread, so that other requests aren't delayed. */
const signAside = promisify(sign);

export function createFeedSigner(parts: FeedSignerParts): SignFeed {
  const { signingKeys, clock, log } = parts;
  const digests = new WeakMap<JsonText, string>();
  const currentKid = createSignerMemory(parts);
  const signed = new Map<string, Promise<SignatureHeaders>>();
  let second = 0;

  const digestOf = (body: JsonText): string => {
    const known = digests.get(body) ?? `sha-256=:${hash('sha256', body.text, 'base64')}:`;
    digests.set(body, known);
    return known;
  };

  async function signatureOf(base: string, kid: string): Promise<string> {
    const key = await signingKeys.signing(kid, FEED_PURPOSE);
    return (await signAside(null, Buffer.from(base), key)).toString('base64');
  }

  async function headersOf(answer: DigestedAnswer, created: number): Promise<SignatureHeaders> {
    try {
      const kid = await currentKid();
      if (kid === null) return {};
      const params = signatureParams(answer, { created, kid });
      const signature = await signatureOf(signatureBase(answer, params), kid);
      return {
        ...(answer.digest !== null && { 'content-digest': answer.digest }),
        'signature-input': `${FEED_LABEL}=${params}`,
        signature: `${FEED_LABEL}=:${signature}:`,
      };
    } catch (error) {
      log.error({ error }, 'failed to sign a policy feed response');
      signed.clear(); // lets later requests try again
      return {};
    }
  }

  return ({ status, etag, target, body, isShared }) => {
    const created = Math.floor(clock.now().getTime() / SECOND_MS);
    if (created !== second) signed.clear();
    second = created;
    const digest = body && digestOf(body);
    // Identifies a signature by everything that it covers. When many nodes poll after a change, the
    // first poll starts the signing, and the other polls share the signature.
    const name = `${status} ${digest} ${etag} ${target}`;
    const known = signed.get(name) ?? headersOf({ status, digest, etag, target }, created);
    if (isShared && signed.size < SHARED_MAX) signed.set(name, known);
    return known;
  };
}

type SignerMemory = () => string | null | Promise<string | null>;

/** Reads the ID of the current signing key, at most once every SIGNER_KNOWN_MS. */
function createSignerMemory({ findFeedSigner, clock }: FeedSignerParts): SignerMemory {
  let known: { kid: string | null; readMs: number } | null = null;
  const share = shared<string | null>();
  return () => {
    const nowMs = clock.now().getTime();
    if (known !== null && Math.abs(nowMs - known.readMs) < SIGNER_KNOWN_MS) return known.kid;
    return share('feed signer', async () => {
      const kid = await findFeedSigner();
      known = { kid, readMs: nowMs };
      return kid;
    });
  };
}
