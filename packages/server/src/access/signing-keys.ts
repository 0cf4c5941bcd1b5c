// The signing keys of the deployment, as this process knows them. Only what never changes is
// remembered: which key a `kid` names. Whether it still holds, and which one signs, is read from
// the database with every token, so that all processes agree.
import type { KeyObject } from 'node:crypto';
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

  const look = oneAtATime(async () => {
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
      if (!known.has(kid)) await look();
      return known.get(kid)?.verifying ?? null;
    },
    async signing(kid) {
      if (!known.has(kid)) await look();
      const named = known.get(kid);
      if (!named) throw unavailable(new Error(`the signing key ${kid} ended just now`));
      named.signing ??= openedBy(unseal, named.fact);
      return named.signing;
    },
    async published() {
      return (await look()).map(({ id, publicKey }) => ({ kid: id, x: publicKey }));
    },
  };
}

/**
 * Whoever asks gets a look that began after they asked: a key that signs at once is published by
 * every process before a token can carry it. However many ask, for the list or with a made-up
 * `kid`, one look is under way, and the next serves all who came in the meantime.
 */
function oneAtATime<Found>(look: () => Promise<Found>): () => Promise<Found> {
  let underWay: Promise<Found> | null = null;
  let next: Promise<Found> | null = null;

  function begin(): Promise<Found> {
    underWay = look().finally(() => {
      underWay = null;
    });
    return underWay;
  }

  async function afterThis(): Promise<Found> {
    await underWay?.catch(() => {}); // its fault is told to those who asked for it
    next = null;
    // Someone who came a moment ago may have begun it.
    return underWay ?? begin();
  }

  return () => {
    if (!underWay) return begin();
    next ??= afterThis();
    return next;
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
