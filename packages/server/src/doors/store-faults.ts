// What a failure of the store means to a caller. Null: it is not the store's, or not expected.
import { type ApiError, conflict, unavailable } from '../base/errors.ts';
import {
  isFromStore,
  isRetryable,
  isStoreFault,
  sqlState,
  violatedConstraint,
} from '../db/faults.ts';

/** Unique constraints that a request can run into, and the field to blame. */
const conflicts: Record<string, () => ApiError> = {
  workspaces_slug: () => conflict('This slug is taken.', 'slug'),
  projects_slug: () => conflict('This slug is taken.', 'slug'),
  tenants_external_id: () => conflict('This external id is taken.', 'external_id'),
};

const TENANT_MONTHS = 'KR008';

/** Whether a batch was refused because it would add too many months of tenants. */
export const exceedsTenantMonths = (error: unknown): boolean => sqlState(error) === TENANT_MONTHS;

/** Bounds of a workspace that the database counts. */
const exceeded: Record<string, () => ApiError> = {
  KR007: () => conflict('The meta of all tenants and keys would exceed 256 MiB.', 'meta'),
  [TENANT_MONTHS]: () =>
    conflict('There are too many monthly sums of tenants to add others.', 'events'),
};

/** For any error of a request: only what the store itself threw is taken for its fault. */
export const apiErrorIfOfStore = (error: unknown): ApiError | null =>
  isFromStore(error) ? apiErrorOfStore(error) : null;

export function apiErrorOfStore(error: unknown): ApiError | null {
  const beyond = exceeded[sqlState(error) ?? ''];
  if (beyond) return beyond();
  const constraint = violatedConstraint(error);
  const known = constraint === undefined ? undefined : conflicts[constraint];
  if (known) return known();
  return isStoreFault(error) || isRetryable(error) ? unavailable(error) : null;
}
