// Maps store errors to API errors. Returns null for all other errors.
import { WEBHOOK_ENDPOINTS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { type ApiError, conflict, unavailable } from '../base/errors.ts';
import {
  isFromStore,
  isRetryable,
  isStoreFault,
  sqlState,
  violatedConstraint,
} from '../db/faults.ts';
import { inProgress } from './request-keys.ts';

/** The unique constraints that a request can violate, and the error for each. */
const conflicts: Record<string, () => ApiError> = {
  workspaces_slug: () => conflict('This slug is already taken.', 'slug'),
  projects_slug: () => conflict('This slug is already taken.', 'slug'),
  // Only possible if this request lost its lock on the request key, and another request with the
  // same key has just completed.
  kept_responses_pkey: inProgress,
  tenants_external_id: () => conflict('This external ID is already taken.', 'external_id'),
};

const TENANT_MONTHS = 'KR008';

/** Whether a batch was rejected because it would add too many monthly tenant totals. */
export const exceedsTenantMonths = (error: unknown): boolean => sqlState(error) === TENANT_MONTHS;

/** Workspace limits that the database enforces. */
const exceeded: Record<string, () => ApiError> = {
  KR007: () =>
    conflict(
      'The combined size of `meta` across all tenants and keys would exceed 256 MiB.',
      'meta',
    ),
  [TENANT_MONTHS]: () =>
    conflict('The workspace has reached its maximum number of monthly usage rows.', 'events'),
  KR009: () => conflict(`A workspace can have at most ${WEBHOOK_ENDPOINTS_MAX} webhook endpoints.`),
};

/** Returns null for errors that the store didn't throw. */
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
