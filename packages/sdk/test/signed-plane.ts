// An in-memory control plane that signs its feed like the real server. A test can alter each
// response after it has been signed.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  FEED_LABEL,
  FEED_PURPOSE,
  signatureBase,
  signatureParams,
} from '@keyrail/protocol/wire/feed-signature.ts';
import type { FeedJwks } from '../src/api/options.ts';
import type { Fetch } from '../src/transport.ts';
import { sha256Hex } from './entries.ts';
import { Plane } from './plane.ts';

export type Signer = { kid: string; key: KeyObject; jwk: FeedJwks['keys'][number] };

export function newSigner(kid: string, purpose: string = FEED_PURPOSE): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { kid, key: privateKey, jwk: { kid, kty: 'OKP', crv: 'Ed25519', x, purpose } };
}

/** A response with its headers, before it is sent. */
export type Outgoing = { status: number; headers: Record<string, string>; body: string };
export type Question = { target: string; createdMs: number };

export const digestOf = (body: string): string =>
  `sha-256=:${Buffer.from(sha256Hex(body), 'hex').toString('base64')}:`;

/** Signs the response to a request. */
export function signed(
  { status, headers, body }: Outgoing,
  { kid, key }: Signer,
  { target, createdMs }: Question,
): Outgoing {
  const digest = status === 304 ? null : digestOf(body);
  const answer = { status, digest, etag: headers.etag ?? '', target };
  const params = signatureParams(answer, { created: Math.floor(createdMs / 1000), kid });
  const signature = sign(null, Buffer.from(signatureBase(answer, params)), key).toString('base64');
  return {
    status,
    body,
    headers: {
      ...headers,
      ...(digest !== null && { 'content-digest': digest }),
      'signature-input': `${FEED_LABEL}=${params}`,
      signature: `${FEED_LABEL}=:${signature}:`,
    },
  };
}

/** Returns a control plane's original `fetch`, before a subclass replaces it. */
const plainFetchOf = (plane: Plane): Fetch => plane.fetch;

export class SignedPlane extends Plane {
  signer = newSigner('first');
  /** The keys that the deployment publishes. */
  published: Signer[] = [this.signer];
  /** How many times the list of keys was loaded. */
  reads = 0;
  /** Overrides the response to a request for the list of keys; null sends the normal response. */
  listFault: () => Response | Promise<Response> | null = () => null;
  /** Alters each signed response before it is sent. */
  alter: (sent: Outgoing, question: Question) => Outgoing = (sent) => sent;
  readonly #unsigned = plainFetchOf(this);

  get jwks(): FeedJwks {
    return { keys: this.published.map(({ jwk }) => jwk) };
  }

  override readonly fetch: Fetch = async (url, init) => {
    const target = url.slice(new URL(url).origin.length);
    if (target === '/.well-known/jwks.json') {
      this.reads += 1;
      return this.listFault() ?? Response.json(this.jwks);
    }
    const response = await this.#unsigned(url, init);
    if (response.status !== 200 && response.status !== 304) return response;
    const etag = `W/"${target.split(/[/?]/)[3]}:${this.version}"`;
    const plain = { status: response.status, headers: { etag }, body: await response.text() };
    const question = { target, createdMs: this.clock.now() + this.aheadMs };
    const { status, headers, body } = this.alter(signed(plain, this.signer, question), question);
    return new Response(status === 304 ? null : body, { status, headers });
  };
}
