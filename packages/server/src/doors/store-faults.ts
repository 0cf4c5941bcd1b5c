// What a failure of the store means to a caller. Null: it is not the store's, or not expected.
import { type ApiError, conflict, unavailable } from '../base/errors.ts';
import { isRetryable, isStoreFault, violatedConstraint } from '../db/faults.ts';

/** Unique constraints that a request can run into, and the field to blame. */
const conflicts: Record<string, () => ApiError> = {
  workspaces_slug: () => conflict('This slug is taken.', 'slug'),
  projects_slug: () => conflict('This slug is taken.', 'slug'),
  tenants_external_id: () => conflict('This external id is taken.', 'external_id'),
};

export function apiErrorOfStore(error: unknown): ApiError | null {
  const constraint = violatedConstraint(error);
  const known = constraint === undefined ? undefined : conflicts[constraint];
  if (known) return known();
  return isStoreFault(error) || isRetryable(error) ? unavailable(error) : null;
}
