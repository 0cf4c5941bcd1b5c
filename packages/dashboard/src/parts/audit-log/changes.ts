// The fields an audit row lists as changed, with their values if the row includes them.
import type { FieldChange } from '../../ui/tables/diff.tsx';
import { unlimited } from './actions.ts';
import type { AuditRow } from './use-names.ts';

type Payload = AuditRow['payload'];

/** The names of the changed fields. Older rows contain no values. */
export const changedFields = ({ changes, changed }: Payload): string[] => [
  ...new Set([...Object.keys(membersOf(changes)), ...textsOf(changed)]),
];

export const changesOf = (payload: Payload): FieldChange[] =>
  changedFields(payload).map((field) => {
    const { from, to, added, removed } = membersOf(membersOf(payload.changes)[field]);
    if (added || removed) return { field, added: textsOf(added), removed: textsOf(removed) };
    return to === undefined ? { field } : { field, from: from ?? unlimited[field] ?? null, to };
  });

/** True if the change only narrowed a secret key's limits or expiry. */
export const isNarrowing = (payload: Payload): boolean =>
  changedFields(payload).every((field) => field in unlimited || field === 'expires_at');

/**
 * The permissions that a secret key lost or, if only its role limited it before, those it has left.
 */
export function permissionsLost({ changes }: Payload): { removed: string[] } | { left: string[] } {
  const { removed, to } = membersOf(membersOf(changes).permissions);
  return removed ? { removed: textsOf(removed) } : { left: textsOf(to) };
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' ? { ...value } : {};

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
