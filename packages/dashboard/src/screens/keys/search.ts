// The key list's filters, as stored in the URL.

import type { CallInput } from '@keyrail/client';
import { type KeyState, keyStates } from '@keyrail/protocol/wire/key-states.ts';
import { UUID } from '@keyrail/protocol/wire/uuid.ts';
import type { Env } from '../../paths.ts';
import { texts } from './texts.ts';

type Query = NonNullable<CallInput<'GET /v1/keys'>['query']>;

/** The number of rows per page, which is also the maximum number of IDs in one request. */
export const PAGE_ROWS = 100;

export type KeyFilters = {
  q: string;
  state: KeyState | 'all' | null;
  project: string | null;
  tenant: string | null;
  unused: string | null;
};

export function parseFilters(search: Readonly<Record<string, string>>): KeyFilters {
  const { q = '', state = '', project = '', tenant = '', unused = '' } = search;
  return {
    q,
    state: state === 'all' ? 'all' : (keyStates.find((one) => one === state) ?? null),
    project: UUID.test(project) ? project : null,
    tenant: UUID.test(tenant) ? tenant : null,
    unused: texts.filters.unusedDays.some(({ value }) => value === unused) ? unused : null,
  };
}

export const isFiltered = ({ q, ...chips }: KeyFilters): boolean =>
  q !== '' || Object.values(chips).some((value) => value !== null);

export const queryOf = (env: Env, { q, state, project, tenant, unused }: KeyFilters): Query => ({
  env,
  limit: PAGE_ROWS,
  ...(q.trim() !== '' && { q: q.trim() }),
  ...(state === 'all' && { include_revoked: true }),
  ...(state !== null && state !== 'all' && { state }),
  ...(project !== null && { project_id: project }),
  ...(tenant !== null && { tenant_id: tenant }),
  ...(unused !== null && { unused_days: Number(unused) }),
});
