// Turns signing keys into public JWKs.
import type { Jwk, Jwks } from '@keyrail/protocol/objects/probes.ts';
import type { PublishedKey } from '../../signing/keys.ts';

export const presentJwks = (keys: readonly PublishedKey[]): Jwks => ({
  keys: keys.map(presentJwk),
});

const presentJwk = ({ kid, x, purpose }: PublishedKey): Jwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  use: 'sig',
  alg: 'EdDSA',
  kid,
  purpose,
});
