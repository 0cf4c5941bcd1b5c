// The deployment's signing keys. This process caches only which key has which `kid`, because that
// never changes. Which key currently signs and which are retired is read from the database for
// every token, so that all processes agree.
import type { KeyObject } from 'node:crypto';
import type { SigningPurpose } from '@keyrail/protocol/wire/signing-purposes.ts';
import { shared } from '../base/coalesce.ts';
import { unavailable } from '../base/errors.ts';
import type { Sealing } from '../base/sealing.ts';
import type { SigningKeyFact } from './gate.rows.ts';
import { privateKeyOf, publicKeyOf } from './pair.ts';

export type PublishedKey = { kid: string; x: string; purpose: SigningPurpose };

export type SigningKeys = {
  /** Returns null if the `kid` is unknown or its key has a different purpose. */
  verifying(kid: string, purpose: SigningPurpose): Promise<KeyObject | null>;
  /** Returns the private key. The caller must have just read the `kid` from the database. */
  signing(kid: string, purpose: SigningPurpose): Promise<KeyObject>;
  /** All keys, for every purpose, whose signatures may still need to be verified. */
  published(): Promise<PublishedKey[]>;
};

type SigningKeyParts = {
  findSigningKeys(): Promise<SigningKeyFact[]>;
  unseal: Sealing['unseal'];
};

type Known = { fact: SigningKeyFact; verifying: KeyObject; signing?: KeyObject };

export function createSigningKeys({ findSigningKeys, unseal }: SigningKeyParts): SigningKeys {
  let known = new Map<string, Known>();

  /**
   * Reads all signing keys. Requests that arrive before the read begins share its result; later
   * requests wait for the next read. So once a token has been signed with a key, every process
   * publishes that key. A flood of invented `kid`s causes only one read at a time.
   */
  const share = shared<SigningKeyFact[]>();
  const readKeys = (): Promise<SigningKeyFact[]> =>
    share('signing keys', async () => {
      const facts = await findSigningKeys();
      known = new Map(
        facts.map((fact) => [
          fact.id,
          known.get(fact.id) ?? { fact, verifying: publicKeyOf(fact.publicKey) },
        ]),
      );
      return facts;
    });

  async function find(kid: string, purpose: SigningPurpose): Promise<Known | null> {
    if (!known.has(kid)) await readKeys();
    const named = known.get(kid);
    return named?.fact.purpose === purpose ? named : null;
  }

  return {
    async verifying(kid, purpose) {
      return (await find(kid, purpose))?.verifying ?? null;
    },
    async signing(kid, purpose) {
      const named = await find(kid, purpose);
      if (!named) throw unavailable(new Error(`signing key ${kid} has just been retired`));
      named.signing ??= openedBy(unseal, named.fact);
      return named.signing;
    },
    async published() {
      return (await readKeys()).map(({ id, publicKey, purpose }) => ({
        kid: id,
        x: publicKey,
        purpose,
      }));
    },
  };
}

/** A key's private half, for signing. */
export function openedBy(
  unseal: Sealing['unseal'],
  { id, sealedPrivate, purpose }: Omit<SigningKeyFact, 'publicKey'>,
): KeyObject {
  if (sealedPrivate === null) throw new Error(`signing key ${id} has been retired`);
  try {
    return privateKeyOf(unseal(sealedPrivate));
  } catch (cause) {
    const which = purpose === 'embed_token' ? '' : ` --purpose ${purpose}`;
    const remedy = `run keyrail-server signing-keys rotate --now${which} to create a new one`;
    throw new Error(`signing key ${id} is encrypted with a different master key; ${remedy}`, {
      cause,
    });
  }
}
