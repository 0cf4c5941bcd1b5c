// Shows who made a change: a member, a secret key (as a link) or another actor, such as the secret
// scanner.
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Link } from '../../ui/controls/link.tsx';
import type { AuditRow, Names } from './audit-row.ts';

const actors: Readonly<Record<string, string>> = {
  user: 'A former member',
  secret_key: 'Secret key',
  bootstrap: 'The bootstrap token',
  embed: 'A tenant',
  scanner: 'The secret scanner',
  system: 'Keyrail',
};

/**
 * Shown for objects without a name. IDs created close together start with the same characters, so
 * only the end is shown.
 */
export const shortId = (id: string): string => `…${id.slice(-8)}`;

export function Actor({ row, names }: { row: AuditRow; names: Names }) {
  const scope = useScope();
  const { actor_type: type, actor_id: id, actor } = row;
  const name = actor?.name ?? actor?.email ?? null;
  if (name !== null) return <strong>{name}</strong>;
  if (type === 'embed') {
    return (
      <>
        <strong>{(id !== null && names.get(id)) || actors.embed}</strong>, through the key manager,
      </>
    );
  }
  if (type !== 'secret_key' || id === null) return <strong>{actors[type] ?? type}</strong>;
  return (
    <>
      {actors.secret_key}{' '}
      <Link to={paths.secretKey({ ...scope, secretKeyId: id })}>
        {names.get(id) ?? shortId(id)}
      </Link>
    </>
  );
}
