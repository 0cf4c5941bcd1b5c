// The signing keys of the deployment, as this process knows them. It caches only what never
// changes: which key a `kid` names. Which key signs, and which have ended, is read from the
// database with every token, so that all processes agree.
import type { KeyObject } from 'node:crypto';
import { shared } from '../base/coalesce.ts';
import { unavailable } from '../base/errors.ts';
import type { Sealing } from '../base/sealing.ts';
import { privateKeyOf, publicKeyOf } from '../base/signing-pair.ts';
import type { SigningKeyFact } from '../doors/embed-facts.ts';
import type { Gate } from '../doors/gate.ts';

export type PublishedKey = { kid: string; x: string };

export type SigningKeys = {
  /** Null for a `kid` that is none of ours. */
  verifying(kid: string): Promise<KeyObject | null>;
  /** For a `kid` that the database has just named. */
  signing(kid: string): Promise<KeyObject>;
  /** All that tokens may carry from now on, oldest first. */
  published(): Promise<PublishedKey[]>;
};

export type SigningKeyParts = {
  gate: Pick<Gate, 'findSigningKeys'>;
  unseal: Sealing['unseal'];
};

type Known = { fact: SigningKeyFact; verifying: KeyObject; signing?: KeyObject };

export function openSigningKeys({ gate, unseal }: SigningKeyParts): SigningKeys {
  let known = new Map<string, Known>();

  /**
   * Reads all signing keys. A read begins after its last caller arrived, so every process publishes
   * a key before a token can carry it. A flood of made-up `kid`s causes one read at a time.
   */
  const share = shared<SigningKeyFact[]>();
  const readKeys = (): Promise<SigningKeyFact[]> =>
    share('signing keys', async () => {
      const facts = await gate.findSigningKeys();
      known = new Map(
        facts.map((fact) => [
          fact.id,
          known.get(fact.id) ?? { fact, verifying: publicKeyOf(fact.publicKey) },
        ]),
      );
      return facts;
    });

  return {
    async verifying(kid) {
      if (!known.has(kid)) await readKeys();
      return known.get(kid)?.verifying ?? null;
    },
    async signing(kid) {
      if (!known.has(kid)) await readKeys();
      const named = known.get(kid);
      if (!named) throw unavailable(new Error(`the signing key ${kid} ended just now`));
      named.signing ??= openedBy(unseal, named.fact);
      return named.signing;
    },
    async published() {
      return (await readKeys()).map(({ id, publicKey }) => ({ kid: id, x: publicKey }));
    },
  };
}

function openedBy(unseal: Sealing['unseal'], { id, sealedPrivate }: SigningKeyFact): KeyObject {
  try {
    return privateKeyOf(unseal(sealedPrivate));
  } catch (cause) {
    const way = 'keyrail-server signing-keys rotate --now makes one under the present one';
    throw new Error(`the signing key ${id} was sealed under another master key; ${way}`, { cause });
  }
}
