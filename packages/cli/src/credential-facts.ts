// What API keys and secret keys have in common on a terminal.
import { createdFact, type Fact, idFact, metaFact, nameFact, stateOf } from './facts.ts';

export type Credential = {
  id: string;
  env: string;
  display_prefix: string;
  name: string | null;
  meta: Record<string, unknown>;
  expires_at: string | null;
  revoked_at: string | null;
  revoked_reason: string | null;
  quarantined_at: string | null;
  quarantine_reason: string | null;
  rotated_from: string | null;
  created_at: string;
  last_used_at: string | null;
};

/** The prefix tells the environment, so a list needs no column for it. */
export const credentialHead: readonly Fact<Credential>[] = [
  idFact,
  { title: 'prefix', of: (key) => key.display_prefix },
  { title: 'state', of: (key, { now }) => stateOf(key, now) },
  nameFact,
  { title: 'env', of: (key) => key.env, only: 'record' },
];

export const credentialTail: readonly Fact<Credential>[] = [
  metaFact,
  { title: 'expires', of: (key, look) => look.time(key.expires_at), drop: 3 },
  { title: 'last used', of: (key, look) => look.time(key.last_used_at), drop: 1 },
  createdFact,
  {
    title: 'rotated from',
    of: (key) => key.rotated_from,
    only: 'record',
    ifAny: true,
  },
  {
    title: 'quarantined',
    of: (key, look) => withReason(look.time(key.quarantined_at), key.quarantine_reason),
    only: 'record',
    ifAny: true,
  },
  {
    title: 'revoked',
    of: (key, look) => withReason(look.time(key.revoked_at), key.revoked_reason),
    only: 'record',
    ifAny: true,
  },
];

const withReason = (at: string | null, reason: string | null): string | null =>
  at !== null && reason !== null ? `${at}: ${reason}` : at;

/** How long a rotated credential still works beside its successor. */
export const overlapText = ({ previous_key: old }: { previous_key: Credential }): string =>
  `The old one, ${old.display_prefix}, works until ${old.expires_at}.`;
