// Signs responses of the policy feed (RFC 9421 and 9530). The signature covers the query, which
// names the node, so responses differ in their signatures; the digest of a body that many nodes get
// is computed once.
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
import type { Gate } from '../doors/gate.ts';
import type { SigningKeys } from './signing-keys.ts';

/** A response of the feed. The target is the path and query of its request. */
type FeedAnswer = { status: 200 | 304; etag: string; target: string; body: JsonText | null };

/** The headers with the signature; none without a signing key, or if it cannot be opened. */
export type SignFeed = (answer: FeedAnswer) => Promise<Record<string, string>>;

type FeedSignerParts = {
  gate: Pick<Gate, 'findFeedSigner'>;
  signingKeys: Pick<SigningKeys, 'signing'>;
  clock: Clock;
  log: Log;
};

/** How long this process may go on signing with a key after another took over, or after its end. */
const SIGNER_KNOWN_MS = 5 * SECOND_MS;
/** Requests for the same response within a second share its signature, up to this many. */
const SHARED_MAX = 1000;

/** Signs in a thread of its own, so that other requests do not wait for it. */
const signAside = promisify(sign);

export function createFeedSigner({ gate, signingKeys, clock, log }: FeedSignerParts): SignFeed {
  const digests = new WeakMap<JsonText, string>();
  const currentKid = createSignerMemory(gate, clock);
  const signatures = new Map<string, Promise<string>>();
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

  const shareSignature = (base: string, kid: string, created: number): Promise<string> => {
    if (created !== second) signatures.clear();
    second = created;
    const known = signatures.get(base) ?? signatureOf(base, kid);
    if (signatures.size < SHARED_MAX) signatures.set(base, known);
    return known;
  };

  return async ({ status, etag, target, body }) => {
    try {
      const kid = await currentKid();
      if (kid === null) return {};
      const answer = { status, digest: body && digestOf(body), etag, target };
      const created = Math.floor(clock.now().getTime() / SECOND_MS);
      const params = signatureParams(answer, { created, kid });
      const signature = await shareSignature(signatureBase(answer, params), kid, created);
      return {
        ...(answer.digest !== null && { 'content-digest': answer.digest }),
        'signature-input': `${FEED_LABEL}=${params}`,
        signature: `${FEED_LABEL}=:${signature}:`,
      };
    } catch (error) {
      log.error({ error }, 'a response of the policy feed could not be signed');
      return {};
    }
  };
}

/** Reads the id of the key that signs, at most every SIGNER_KNOWN_MS. */
function createSignerMemory(
  gate: FeedSignerParts['gate'],
  clock: Clock,
): () => string | null | Promise<string | null> {
  let known: { kid: string | null; readMs: number } | null = null;
  const share = shared<string | null>();
  return () => {
    const nowMs = clock.now().getTime();
    if (known !== null && Math.abs(nowMs - known.readMs) < SIGNER_KNOWN_MS) return known.kid;
    return share('feed signer', async () => {
      const kid = await gate.findFeedSigner();
      known = { kid, readMs: nowMs };
      return kid;
    });
  };
}
