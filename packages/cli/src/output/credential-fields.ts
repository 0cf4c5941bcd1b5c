// The fields printed for API keys and secret keys.
import type { Answer } from '@keyrail/client';
import type { KeyState } from '@keyrail/protocol/wire/key-states.ts';
import { rateLimitTexts } from '../input/rate-limits.ts';
import type { Tone } from '../terminal/style.ts';
import { createdField, type Field, idField, metaField, nameField } from './fields.ts';

type SecretKey = Answer<'GET /v1/secret_keys/{id}'>;

/** Properties shared by API keys and secret keys. */
type Credential = Omit<SecretKey, 'object' | 'state' | OfSecretKeys> & { state: KeyState };

type OfSecretKeys =
  | ('authority' | 'created_by')
  | ('permissions' | 'profile' | 'project_ids' | 'networks');

const toneOf: Readonly<Record<KeyState, Tone>> = {
  revoked: 'red',
  quarantined: 'yellow',
  disabled: 'red',
  expired: 'dim',
  expiring: 'yellow',
  active: 'green',
};

/** Lists have no environment column, because the prefix shows the environment. */
export const credentialHead: readonly Field<Credential>[] = [
  idField,
  { title: 'prefix', of: (key) => key.display_prefix },
  { title: 'state', of: ({ state }) => ({ text: state, tone: toneOf[state] }) },
  nameField,
  { title: 'env', of: (key) => key.env, only: 'record' },
];

export const credentialTail: readonly Field<Credential>[] = [
  metaField,
  { title: 'expires', of: (key, format) => format.time(key.expires_at), drop: 4 },
  { title: 'last used', of: (key, format) => format.time(key.last_used_at), drop: 1 },
  createdField,
  {
    title: 'rotated from',
    of: (key) => key.rotated_from,
    only: 'record',
    ifAny: true,
  },
  {
    title: 'quarantined',
    of: (key, format) => withReason(format.time(key.quarantined_at), key.quarantine_reason),
    only: 'record',
    ifAny: true,
  },
  {
    title: 'revoked',
    of: (key, format) => withReason(format.time(key.revoked_at), key.revoked_reason),
    only: 'record',
    ifAny: true,
  },
];

const withReason = (at: string | null, reason: string | null): string | null =>
  at !== null && reason !== null ? `${at}: ${reason}` : at;

/** How long the old key keeps working alongside the new one. */
export const overlapText = ({ previous_key: old }: { previous_key: Credential }): string =>
  `The old key, ${old.display_prefix}, works until ${old.expires_at}.`;

type ApiKey = Answer<'GET /v1/keys/{id}'>;

/**
 * In narrow tables, the ID is one of the first columns to be left out, because the prefix is
 * enough.
 */
export const keyFields: readonly Field<ApiKey>[] = [
  { ...idField, drop: 3 },
  ...credentialHead.filter((field) => field !== idField),
  { title: 'tenant', of: (key, { nameOf }) => nameOf(key.tenant_id), shrink: true },
  { title: 'project', of: (key, { nameOf }) => nameOf(key.project_id), shrink: true },
  { title: 'scopes', of: (key) => key.scopes.join(' '), only: 'record' },
  { title: 'rate limits', of: limitsText, only: 'record' },
  {
    title: 'imported',
    of: (key) => (key.imported ? 'yes' : null),
    only: 'record',
    ifAny: true,
  },
  ...credentialTail,
  {
    title: 'disabled',
    of: (key, format) => withReason(format.time(key.disabled_at), key.disabled_reason),
    only: 'record',
    ifAny: true,
  },
];

function limitsText({ rate_limits: rules }: ApiKey): string {
  if (rules === null) return 'project defaults';
  return rules.length === 0 ? 'none' : rateLimitTexts(rules);
}
