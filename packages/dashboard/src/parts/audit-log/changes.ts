// The fields an audit row lists as changed, with their values if the row includes them.
import type { FieldChange } from '../../ui/tables/diff.tsx';
import { unlimited } from './actions.ts';
import type { AuditRow, Names } from './audit-row.ts';

type Payload = AuditRow['payload'];

/** The names of the changed fields. Older rows contain no values. */
export const changedFields = ({ changes, changed }: Payload): string[] => [
  ...new Set([...Object.keys(membersOf(changes)), ...textsOf(changed)]),
];

/** Projects are shown by name, or by ID if they have been deleted. */
export const changesOf = (payload: Payload, names: Names): FieldChange[] =>
  changedFields(payload).map((field) => {
    const { from, to, added, removed } = membersOf(membersOf(payload.changes)[field]);
    const textOf = (value: string) => (field === PROJECTS ? (names.get(value) ?? value) : value);
    const shown = (values: unknown) => textsOf(values).map(textOf);
    if (added || removed) return { field, added: shown(added), removed: shown(removed) };
    if (to === undefined) return { field };
    const before = from ?? unlimited[field] ?? null;
    return { field, from: before, to: field === PROJECTS ? shown(to) : to };
  });

const PROJECTS = 'project_ids';

/** The IDs of the projects that a change gave to or took from a secret key. */
export function changedProjects({ payload: { changes } }: AuditRow): string[] {
  const { to, added, removed } = membersOf(membersOf(changes)[PROJECTS]);
  return [to, added, removed].flatMap(textsOf);
}

/** True if the change only narrowed a secret key's limits or expiry. */
export const isNarrowing = (payload: Payload): boolean =>
  changedFields(payload).every((field) => field in unlimited || field === 'expires_at');

/**
 * The permissions that a secret key lost. If it had no limit before except its role, the
 * permissions it has left.
 */
export function permissionsLost({ changes }: Payload): { removed: string[] } | { left: string[] } {
  const { removed, to } = membersOf(membersOf(changes).permissions);
  return removed ? { removed: textsOf(removed) } : { left: textsOf(to) };
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' ? { ...value } : {};

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
