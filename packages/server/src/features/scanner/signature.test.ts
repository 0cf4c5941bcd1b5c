// Report signatures: GitHub's published sample is accepted, and variations of it are rejected.
import { equal, ok } from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { isSignedBy, p256KeyOf } from './signature.ts';

// From the documentation of GitHub's secret scanning partner program.
const SAMPLE_PEM = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYAGMWO8XgCamYKMJS6jc/qgvSlAd
AjPuDPRcXU22YxgBrz+zoN19MzuRyW87qEt9/AmtoNP5GrobzUvQSyJFVw==
-----END PUBLIC KEY-----
`;
const SAMPLE_SIGNATURE =
  'MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz/BgZyt7AIfXt9fErtRS4XaeSt/AO1RtBY66YcAdjxji410VQV4xg==';
const SAMPLE_BODY =
  '[{"source":"commit","token":"some_token","type":"some_type",' +
  '"url":"https://example.com/base-repo-url/"}]';

const sampleKey = () => {
  const key = p256KeyOf(SAMPLE_PEM);
  ok(key);
  return key;
};
const isSample = (body: string | Buffer, signature: string) =>
  isSignedBy(sampleKey(), Buffer.from(body), signature);

test('the published sample is valid', () => {
  equal(isSample(SAMPLE_BODY, SAMPLE_SIGNATURE), true);
});

const otherBodies: Record<string, string> = {
  'a body with a newline': `${SAMPLE_BODY}\n`,
  'a body with an extra space': SAMPLE_BODY.replace(',', ', '),
  'a body with a different token': SAMPLE_BODY.replace('some_token', 'some_tokem'),
  'an empty body': '',
};
for (const [what, body] of Object.entries(otherBodies)) {
  test(`the sample's signature is rejected with ${what}`, () => {
    equal(isSample(body, SAMPLE_SIGNATURE), false);
  });
}

const otherSignatures: Record<string, string> = {
  empty: '',
  'not base64': 'not a signature',
  'base64 without its padding': SAMPLE_SIGNATURE.replaceAll('=', ''),
  base64url: SAMPLE_SIGNATURE.replaceAll('/', '_').replaceAll('+', '-'),
  'r and s without DER': Buffer.alloc(64, 1).toString('base64'),
  'zeros in DER': 'MAYCAQACAQA=',
  truncated: Buffer.from(SAMPLE_SIGNATURE, 'base64').subarray(0, -1).toString('base64'),
  'one byte too long': Buffer.concat([
    Buffer.from(SAMPLE_SIGNATURE, 'base64'),
    Buffer.of(0),
  ]).toString('base64'),
};
for (const [what, signature] of Object.entries(otherSignatures)) {
  test(`a signature that is ${what} is rejected`, () => {
    equal(isSample(SAMPLE_BODY, signature), false);
  });
}

const spki = { type: 'spki', format: 'pem' } as const;
const otherKeys: Record<string, string> = {
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export(spki).toString(),
  'the curve P-384': `${generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export(spki)}`,
  'the curve secp256k1': `${generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export(spki)}`,
  Ed25519: generateKeyPairSync('ed25519').publicKey.export(spki).toString(),
  'a private key': generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
  nonsense: 'nonsense',
  empty: '',
};
for (const [what, pem] of Object.entries(otherKeys)) {
  test(`a key that is ${what} is rejected`, () => {
    equal(p256KeyOf(pem), null);
  });
}

test('a signature made with a different P-256 key is rejected', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signature = sign('sha256', Buffer.from(SAMPLE_BODY), privateKey).toString('base64');
  equal(isSample(SAMPLE_BODY, signature), false);
});
