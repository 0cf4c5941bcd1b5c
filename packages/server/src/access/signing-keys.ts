// The signing keys of the deployment, as this process knows them. Only what never changes is
// remembered: which key a `kid` names. Whether it still holds, and which one signs, is read from
// the database with every token, so that all processes agree.
import type { KeyObject } from 'node:crypto';
import { monotonicMs } from '../base/clock.ts';
import { SECOND_MS } from '../base/duration.ts';
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
  /** All that tokens may carry, oldest first. */
  published(): Promise<PublishedKey[]>;
};

export type SigningKeyParts = {
  gate: Pick<Gate, 'findSigningKeys'>;
  unseal: Sealing['unseal'];
  nowMs?(): number;
};

/**
 * Made-up `kid`s make nobody look more often than this, and the public list is not older. A real
 * one is never missed by it: a key is published for longer before the first token carries it.
 */
const LOOK_AGAIN_MS = SECOND_MS;

type Known = { fact: SigningKeyFact; verifying: KeyObject; signing?: KeyObject };

export function openSigningKeys(parts: SigningKeyParts): SigningKeys {
  const { gate, unseal, nowMs = monotonicMs } = parts;
  let known = new Map<string, Known>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  async function lookOnce(): Promise<void> {
    const startedAtMs = nowMs();
    const facts = await gate.findSigningKeys();
    known = new Map(
      facts.map((fact) => [
        fact.id,
        known.get(fact.id) ?? { fact, verifying: publicKeyOf(fact.publicKey) },
      ]),
    );
    lookedAtMs = startedAtMs;
  }

  /** Those who need it at the same time share one look. */
  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = null;
    });
    return looking;
  }

  const isOld = (): boolean => nowMs() - lookedAtMs >= LOOK_AGAIN_MS;

  return {
    async verifying(kid) {
      if (!known.has(kid) && isOld()) await look();
      // The very first key signs as soon as it is there, perhaps since that look began.
      if (known.size === 0) await look();
      return known.get(kid)?.verifying ?? null;
    },
    async signing(kid) {
      if (!known.has(kid)) await look();
      // It may have been someone else's look, begun before the key was there.
      if (!known.has(kid)) await look();
      const named = known.get(kid);
      if (!named) throw unavailable(new Error(`the signing key ${kid} ended just now`));
      named.signing ??= openedBy(unseal, named.fact);
      return named.signing;
    },
    async published() {
      if (isOld()) await look();
      return [...known.values()].map(({ fact }) => ({ kid: fact.id, x: fact.publicKey }));
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
