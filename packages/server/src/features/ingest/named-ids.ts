// Collects the IDs in a batch, each with the position of the first event that contains it, and
// rejects the batch if any ID is unknown.
import { type Detail, forbidden, invalid, notFound } from '../../base/errors.ts';
import { BEYOND_BOUNDARY } from '../../doors/miss.ts';
import { DETAILS_MAX } from './batch-check.ts';
import type { TelemetryEvent } from './event-check.ts';

export type NamedIds = Record<'projects' | 'tenants' | 'keys', Map<string, number>>;

export type UnknownId = {
  kind: 'project' | 'tenant' | 'API key';
  id: string;
  /**
   * Whether the ID exists, but in the live environment, which the caller's test key can't access.
   */
  isBeyond: boolean;
};

export function namedIn(events: readonly TelemetryEvent[]): NamedIds {
  const named: NamedIds = { projects: new Map(), tenants: new Map(), keys: new Map() };
  for (const [at, { projectId, tenantId, keyId }] of events.entries()) {
    note(named.projects, projectId, at);
    if (tenantId !== null) note(named.tenants, tenantId, at);
    if (keyId !== null) note(named.keys, keyId, at);
  }
  return named;
}

function note(places: Map<string, number>, id: string, at: number): void {
  if (!places.has(id)) places.set(id, at);
}

/**
 * A single unknown ID is enough to reject the whole batch. The error details list each unknown ID's
 * position.
 */
export function refuseUnknown(unknown: readonly UnknownId[], named: NamedIds): void {
  if (unknown.length === 0) return;
  if (unknown.some(({ isBeyond }) => isBeyond)) throw forbidden(BEYOND_BOUNDARY);
  const details = unknown
    .map((one) => ({ at: placeOf(one, named), ...detailOf(one) }))
    .toSorted((one, other) => one.at - other.at)
    .slice(0, DETAILS_MAX)
    .map(({ at, path, message }): Detail => ({ path: `events.${at}.${path}`, message }));
  throw invalid('body', details);
}

const fields = {
  project: { map: 'projects', path: 'project_id' },
  tenant: { map: 'tenants', path: 'tenant_id' },
  'API key': { map: 'keys', path: 'key_id' },
} as const;

const placeOf = ({ kind, id }: UnknownId, named: NamedIds): number =>
  named[fields[kind].map].get(id) ?? 0;

const detailOf = ({ kind }: UnknownId): Detail => ({
  path: fields[kind].path,
  message: notFound(kind).message,
});
