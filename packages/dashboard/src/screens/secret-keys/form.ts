// The form for a new secret key, and the request body made from it.
import type { CallInput } from '@keyrail/client';
import { DAY_MS } from '@keyrail/protocol/wire/durations.ts';
import type { Permission, Profile } from '@keyrail/protocol/wire/permissions.ts';
import { nowMs } from '../../clock.ts';
import type { Limits } from '../../parts/secret-key/limits-fields.tsx';
import { networksIn } from '../../parts/secret-key/networks.ts';
import type { Env } from '../../paths.ts';
import { texts } from './texts.ts';

export type NewSecretKey = {
  purpose: Profile | 'custom' | 'all';
  /** Only used if the purpose is `custom`. */
  permissions: readonly Permission[];
  name: string;
  term: string;
  at: string | null;
  limits: Limits;
};

export const emptyForm: NewSecretKey = {
  purpose: 'node',
  permissions: [],
  name: '',
  term: 'never',
  at: null,
  limits: { projectIds: [], networks: '' },
};

const DAYS = [30, 90, 365];

export const terms = [
  { value: 'never', label: texts.form.never },
  ...DAYS.map((days) => ({ value: String(days), label: texts.form.days(days) })),
  { value: 'date', label: texts.form.date },
];

type Body = NonNullable<CallInput<'POST /v1/secret_keys'>['body']>;

export function bodyOf(form: NewSecretKey, env: Env): Body {
  const name = form.name.trim();
  const expires_at = expiryOf(form);
  const { projectIds } = form.limits;
  const networks = networksIn(form.limits.networks);
  return {
    env,
    ...abilitiesOf(form),
    ...(name !== '' && { name }),
    ...(expires_at && { expires_at }),
    ...(projectIds.length > 0 && { project_ids: [...projectIds] }),
    ...(networks.length > 0 && { networks }),
  };
}

function abilitiesOf({ purpose, permissions }: NewSecretKey): Partial<Body> {
  if (purpose === 'all') return {};
  return purpose === 'custom' ? { permissions: [...permissions] } : { profile: purpose };
}

function expiryOf({ term, at }: NewSecretKey): string | null {
  if (term === 'never') return null;
  return term === 'date' ? at : new Date(nowMs() + Number(term) * DAY_MS).toISOString();
}
