// Forged embed tokens: a token is accepted only if this deployment signed it, and only in exactly
// the format the server issues. Some forgeries are signed with the deployment's own key, to show
// that a valid signature is not enough.
import { equal, ok } from 'node:assert/strict';
import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { before, test } from 'node:test';
import { headersOf, ORIGIN } from '@keyrail/testing/embed.ts';
import { codeOf, type Harness, harness } from '@keyrail/testing/harness.ts';
import { MASTER_KEY } from '@keyrail/testing/test-app.ts';
import fc from 'fast-check';
import { systemRandomBytes } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { openGate } from '../doors/gate.ts';
import type { AnchorKey } from './anchors.ts';
import { findSigningKeys } from './gate.rows.ts';
import { createSigningKeys } from './keys.ts';
import { signingPartsOf } from './parts.ts';

type Json = Record<string, unknown>;
type Signer = (input: string) => Buffer;

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const decode = (part = ''): Json => JSON.parse(Buffer.from(part, 'base64url').toString());

let app: Harness;
let genuine: string;
let anchoring: AnchorKey;
let ours: { head: Json; payload: Json; key: KeyObject };

before(async (t) => {
  app = await harness(t as never);
  genuine = (await app.embed()).token;
  const [head, payload] = genuine.split('.');
  const parts = { masterKey: new Secret(MASTER_KEY), randomBytes: systemRandomBytes };
  const { unseal } = signingPartsOf({ ...parts, rotateEveryMs: 0, publishWaitMs: 0 });
  const keys = createSigningKeys({
    findSigningKeys: () => findSigningKeys(openGate(app.testApp.db)),
    unseal,
  });
  const key = await keys.signing(String(decode(head).kid), 'embed_token');
  anchoring = await app.testApp.app.worker.anchorKey();
  ours = { head: decode(head), payload: decode(payload), key };
});

const edwards: (key: KeyObject) => Signer = (key) => (input) => sign(null, Buffer.from(input), key);
const hmac: (hash: string, key: string | Buffer) => Signer = (hash, key) => (input) =>
  createHmac(hash, key).update(input).digest();
const hashed: (hash: string, key: KeyObject) => Signer = (hash, key) => (input) =>
  sign(hash, Buffer.from(input), key);

type Forgery = { head?: Json | string; payload?: Json | unknown[] | string; by?: Signer };

/** Creates a token that is genuine apart from the given changes; undefined members are removed. */
function forge({ head = {}, payload = {}, by }: Forgery = {}): string {
  const isPlain = (value: unknown): value is Json =>
    typeof value === 'object' && !Array.isArray(value);
  const first = isPlain(head) ? { ...ours.head, ...head } : head;
  const second = isPlain(payload) ? { ...ours.payload, ...payload } : payload;
  const input = `${encode(first)}.${encode(second)}`;
  return `${input}.${(by ?? edwards(ours.key))(input).toString('base64url')}`;
}

const published = (): KeyObject => createPublicKey(ours.key);
const pem = () => published().export({ type: 'spki', format: 'pem' }).toString();
const stranger = generateKeyPairSync('ed25519');
const curve448 = generateKeyPairSync('ed448');
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = { ...stranger.publicKey.export({ format: 'jwk' }), kid: 'theirs', alg: 'EdDSA' };
const spki = stranger.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

/** Returns the genuine token with different claims but its original signature. */
function tampered(claims: Json): string {
  const [head, , signature] = genuine.split('.');
  return `${head}.${encode({ ...ours.payload, ...claims })}.${signature}`;
}

/** Adds the curve order to the signature's second half, which a lax verifier would accept. */
function malleated(): string {
  const [head, payload, signature = ''] = genuine.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  let s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  for (let at = 32; at < 64; at += 1) {
    bytes[at] = Number(s & 0xffn);
    s >>= 8n;
  }
  return `${head}.${payload}.${bytes.toString('base64url')}`;
}

/** Encodes the same bytes differently, using the unused bits of the last character. */
function respelled(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const at = alphabet.indexOf(genuine.at(-1) ?? '');
  return `${genuine.slice(0, -1)}${alphabet[at + 1]}`;
}

const withoutSignature = (alg: string) =>
  `${encode({ ...ours.head, alg })}.${encode(ours.payload)}.`;

const forgeries: Record<string, () => string> = {
  'alg none': () => withoutSignature('none'),
  'alg None': () => withoutSignature('None'),
  'alg NONE': () => withoutSignature('NONE'),
  'alg none with a signature': () => forge({ head: { alg: 'none' } }),
  'EdDSA without a signature': () => withoutSignature('EdDSA'),
  'HS256 with the public key as PEM': () =>
    forge({ head: { alg: 'HS256' }, by: hmac('sha256', pem()) }),
  'HS256 with the public key as bytes': () => {
    const { x = '' } = published().export({ format: 'jwk' });
    return forge({ head: { alg: 'HS256' }, by: hmac('sha256', Buffer.from(x, 'base64url')) });
  },
  'HS256 with the public key as JWK': () =>
    forge({
      head: { alg: 'HS256' },
      by: hmac('sha256', JSON.stringify(published().export({ format: 'jwk' }))),
    }),
  'HS512 with the public key': () => forge({ head: { alg: 'HS512' }, by: hmac('sha512', pem()) }),
  'HS256 with no key': () => forge({ head: { alg: 'HS256' }, by: hmac('sha256', '') }),
  'RS256 with a foreign key': () =>
    forge({ head: { alg: 'RS256' }, by: hashed('sha256', rsa.privateKey) }),
  'ES256 with a foreign key': () =>
    forge({ head: { alg: 'ES256' }, by: hashed('sha256', elliptic.privateKey) }),
  'Ed448 with alg EdDSA': () => forge({ by: edwards(curve448.privateKey) }),
  'the right key with alg Ed25519': () => forge({ head: { alg: 'Ed25519' } }),
  'the right key without alg': () => forge({ head: { alg: undefined } }),
  'the right key with a list as alg': () => forge({ head: { alg: ['EdDSA'] } }),
  'the right kid, signed with a different key': () => forge({ by: edwards(stranger.privateKey) }),
  'the kid and key of a different deployment': () =>
    forge({ head: { kid: crypto.randomUUID() }, by: edwards(stranger.privateKey) }),
  'the right key without kid': () => forge({ head: { kid: undefined } }),
  'the right key with an unknown kid': () => forge({ head: { kid: crypto.randomUUID() } }),
  'the right key with its kid in capitals': () =>
    forge({ head: { kid: String(ours.head.kid).toUpperCase() } }),
  'the anchor signing key': () =>
    forge({ head: { kid: anchoring.kid }, by: edwards(anchoring.key) }),
  'the anchor signing key with the right kid': () => forge({ by: edwards(anchoring.key) }),
  'the right key with the kid of the anchor signing key': () =>
    forge({ head: { kid: anchoring.kid } }),
  'a kid that is a path': () => forge({ head: { kid: '../../../../../../dev/null' } }),
  'a kid that is SQL': () => forge({ head: { kid: "' or '1' = '1' --" } }),
  'a kid that is a prototype': () => forge({ head: { kid: '__proto__' } }),
  'a kid that is a constructor': () => forge({ head: { kid: 'constructor' } }),
  'a kid that is a number': () => forge({ head: { kid: 1 } }),
  'a kid that is a list': () => forge({ head: { kid: [ours.head.kid] } }),
  'a kid that is an object': () => forge({ head: { kid: { toString: 'x' } } }),
  'a kid with a NUL': () => forge({ head: { kid: `${ours.head.kid}\u0000` } }),
  'a key in the header': () =>
    forge({ head: { jwk, kid: 'theirs' }, by: edwards(stranger.privateKey) }),
  'a key in the header, with the right kid': () =>
    forge({ head: { jwk }, by: edwards(stranger.privateKey) }),
  'the URL of a list of keys': () =>
    forge({
      head: { jku: 'https://evil.example/jwks.json', kid: 'theirs' },
      by: edwards(stranger.privateKey),
    }),
  'a certificate in the header': () =>
    forge({ head: { x5c: [spki], kid: undefined }, by: edwards(stranger.privateKey) }),
  'the URL of a certificate': () =>
    forge({ head: { x5u: 'https://evil.example/c.pem' }, by: edwards(stranger.privateKey) }),
  'an unknown critical header': () => forge({ head: { crit: ['new'], new: true } }),
  'a payload that is not encoded': () => forge({ head: { crit: ['b64'], b64: false } }),
  'typ JWT': () => forge({ head: { typ: 'JWT' } }),
  'no typ': () => forge({ head: { typ: undefined } }),
  'typ in capitals': () => forge({ head: { typ: 'KEYRAIL-EMBED+JWT' } }),
  'typ as a media type': () => forge({ head: { typ: 'application/keyrail-embed+jwt' } }),
  'an access token’s typ': () => forge({ head: { typ: 'at+jwt' } }),
  'a different tenant': () => tampered({ sub: crypto.randomUUID() }),
  'a different project': () => tampered({ prj: crypto.randomUUID() }),
  'a different workspace': () => tampered({ ws: crypto.randomUUID() }),
  'a different environment': () => tampered({ env: 'test' }),
  'more scopes': () => tampered({ scopes: ['keys:read', 'keys:write', 'key_scope:admin'] }),
  'a later epoch': () => tampered({ epoch: 2 }),
  'a later expiry': () => tampered({ exp: Number(ours.payload.exp) + 3600 }),
  'a different audience': () => tampered({ aud: ['https://evil.example'] }),
  'a different issuer, correctly signed': () => forge({ payload: { iss: 'https://evil.example' } }),
  'no issuer, correctly signed': () => forge({ payload: { iss: undefined } }),
  'no audience, correctly signed': () => forge({ payload: { aud: undefined } }),
  'an audience as a string, correctly signed': () => forge({ payload: { aud: ORIGIN } }),
  'no tenant, correctly signed': () => forge({ payload: { sub: undefined } }),
  'no expiry, correctly signed': () => forge({ payload: { exp: undefined } }),
  'an expiry as a string, correctly signed': () =>
    forge({ payload: { exp: `${ours.payload.exp}` } }),
  'an expiry in the past, correctly signed': () => forge({ payload: { exp: 1 } }),
  'an expiry too large for a date, correctly signed': () => forge({ payload: { exp: 1e300 } }),
  'no scopes, correctly signed': () => forge({ payload: { scopes: undefined } }),
  'scopes as a string, correctly signed': () =>
    forge({ payload: { scopes: 'keys:read keys:write' } }),
  'no epoch, correctly signed': () => forge({ payload: { epoch: undefined } }),
  'an epoch as a string, correctly signed': () => forge({ payload: { epoch: '1' } }),
  'a future epoch, correctly signed': () => forge({ payload: { epoch: 2 } }),
  'an unknown environment, correctly signed': () => forge({ payload: { env: 'prod' } }),
  'an unknown tenant, correctly signed': () => forge({ payload: { sub: crypto.randomUUID() } }),
  'claims as a list, correctly signed': () => forge({ payload: [ours.payload] }),
  'claims that are not JSON, correctly signed': () => forge({ payload: 'nonsense' }),
  'a header that is not JSON': () => forge({ head: 'nonsense' }),
  'a signature of zeros': () => forge({ by: () => Buffer.alloc(64) }),
  'a truncated signature': () => genuine.slice(0, -3),
  'an extended signature': () => `${genuine}AAAA`,
  'a different encoding of the signature': respelled,
  'a malleated signature': malleated,
  'a token inside a token': () => forge({ payload: genuine }),
};

const outcomeOf = async (token: string) => {
  const answer = await app.ask('GET /v1/embed/session', {}, headersOf(token));
  return `${answer.status} ${codeOf(answer)}`;
};

test('the genuine token is accepted, and so is the token that forge() creates without changes', async () => {
  ok(Object.keys(forgeries).length >= 40);
  equal(await outcomeOf(genuine), '200 undefined');
  equal(await outcomeOf(forge()), '200 undefined', 'an unchanged forgery is accepted');
});

for (const [what, forged] of Object.entries(forgeries)) {
  test(`a forged token is rejected: ${what}`, async () => {
    equal(await outcomeOf(forged()), '401 invalid_token');
  });
}

const anyHead = fc.dictionary(
  fc.constantFrom('alg', 'typ', 'kid', 'crit', 'b64', 'jwk', 'x5c', 'cty', 'zip', '__proto__'),
  fc.oneof(fc.jsonValue(), fc.constantFrom('EdDSA', 'none', ['b64'], 'keyrail-embed+jwt')),
);
const anyClaim = fc.dictionary(
  fc.constantFrom('iss', 'aud', 'sub', 'iat', 'exp', 'nbf', 'jti', 'ws', 'prj', 'env', 'epoch'),
  fc.jsonValue(),
);

test('random values in the header or the claims never cause a 5xx', async () => {
  const isRefused = async (token: string, claims: object = {}) => {
    const answer = await outcomeOf(token);
    // A correctly signed token with other origins in `aud`, or with none, is valid, but this
    // request's origin is rejected.
    const isOfOthers = 'aud' in claims && answer === '403 origin_not_allowed';
    const isNo = answer === '401 invalid_token' || isOfOthers;
    ok(isNo || answer === '200 undefined', `${token} ${answer}`);
  };
  await fc.assert(
    fc.asyncProperty(anyHead, anyClaim, fc.nat(), async (head, payload, dice) => {
      await isRefused(forge({ head }));
      await isRefused(forge({ payload }), payload);
      await isRefused(forge({ head: JSON.stringify(head), payload: JSON.stringify(payload) }));
      const at = dice % genuine.lastIndexOf('.');
      const cut = `${genuine.slice(0, at)}${genuine.slice(at + 1)}`;
      if (cut.split('.').every((part) => part !== '') && cut.split('.').length === 3) {
        await isRefused(cut);
      }
    }),
    {
      numRuns: 60,
      // These claims used to cause a 500.
      examples: [
        [{}, { prj: '' }, 0],
        [{}, { exp: Number.MAX_SAFE_INTEGER }, 0],
        [{}, { aud: [] }, 0],
        [{}, { aud: ['https://elsewhere.example'] }, 0],
      ],
    },
  );
});

test('a credential in any other format is rejected as an invalid key, not as an invalid token', async () => {
  const [head, payload, signature] = genuine.split('.');
  const shapes = [
    `${head}.${payload}`,
    `${genuine}.x`,
    `${head}..${signature}`,
    `..`,
    `${genuine}=`,
  ];
  for (const shape of [...shapes, `${head}.${payload}.${signature}.${head}.${payload}`]) {
    equal(await outcomeOf(shape), '401 invalid_key', shape);
  }
  equal(await outcomeOf(genuine), '200 undefined');
});
