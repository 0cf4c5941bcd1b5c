// An audit row as a sentence: the actor, the action, a link to the target, and details from the
// payload.
import { type Env, paths } from '../../paths.ts';
import { type Scope, useScope } from '../../shell/scope.ts';
import { count } from '../../ui/content/spans.ts';
import { Link } from '../../ui/controls/link.tsx';
import { permissionTexts } from '../secret-key/permission-texts.ts';
import { actions, fieldNames } from './actions.ts';
import { Actor, shortId } from './actor.tsx';
import type { AuditRow, Names } from './audit-row.ts';
import { changedFields, isNarrowing, permissionsLost } from './changes.ts';
import styles from './sentence.module.css';

type Props = { row: AuditRow; names: Names };

export function Sentence({ row, names }: Props) {
  const words = wordsOf(row);
  const tail = tailOf(row, names);
  return (
    <span className={styles.sentence}>
      <Actor row={row} names={names} /> {words.verb} {words.noun} <Target row={row} names={names} />
      {tail && <span className={styles.tail}>{tail.startsWith(',') ? tail : ` ${tail}`}</span>}
    </span>
  );
}

/** If there are more permissions than this, only their number is shown. */
const NAMED_MAX = 2;

const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** Updates name the changed fields: "updated the name and scopes of key Backend". */
function wordsOf(row: AuditRow): { verb: string; noun: string } {
  const { action, target_type, payload } = row;
  const own = ownVerb(row);
  if (own) return { verb: own, noun: '' };
  const words = actions[action] ?? { verb: action, noun: target_type };
  const fields = changedFields(payload);
  const named = list.format(fields.map((field) => fieldNames[field] ?? field.replaceAll('_', ' ')));
  if (fields.length === 0) return words;
  const isNarrowed = action === 'secret_key.updated' && isNarrowing(payload);
  return { ...words, verb: `${isNarrowed ? 'narrowed' : words.verb} the ${named} of` };
}

const ownVerb = ({ action, actor_id, target_id }: AuditRow) =>
  actor_id === target_id && actions[action]?.own;

export const envOf = ({ payload }: AuditRow): Env | null =>
  payload.env === 'live' || payload.env === 'test' ? payload.env : null;

function Target({ row, names }: Props) {
  const scope = useScope();
  const { target_id: id, target_type: type } = row;
  if (type === 'workspace' || ownVerb(row)) return null;
  const to = placeOf(row, scope);
  const name = names.get(id) ?? shortId(id);
  return to === null ? <strong>{name}</strong> : <Link to={to}>{name}</Link>;
}

function placeOf(row: AuditRow, scope: Scope): string | null {
  const { target_id: id, target_type: type, payload } = row;
  const place = { slug: scope.slug, env: envOf(row) ?? scope.env };
  if (row.action.endsWith('.deleted')) return null;
  if (row.action === 'api_key.imported') return paths.projects(place);
  if (type === 'api_key') return paths.key({ ...place, keyId: id });
  if (type === 'secret_key') return paths.secretKey({ ...place, secretKeyId: id });
  if (type === 'tenant') return paths.tenant({ ...place, tenantId: id });
  if (type === 'workspace_member') return paths.members(place);
  if (type !== 'project') return null;
  return typeof payload.slug === 'string'
    ? paths.project({ ...place, project: payload.slug })
    : paths.projects(place);
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

const keysText = (keys: number): string => (keys === 1 ? '1 key' : `${count(keys)} keys`);

/**
 * Actions shown with a role. Accepting an invitation adds two entries, and the role is shown only
 * in the one for joining.
 */
const givesRole = new Set(['workspace_invite.created', 'workspace_member.joined']);

function tailOf({ action, payload, target_id }: AuditRow, names: Names): string | null {
  const reason = text(payload.reason);
  const successor = text(payload.successor_id);
  if (action === 'secret_key.updated') return lostTail(payload);
  if (action === 'workspace_member.role_changed') return `from ${payload.from} to ${payload.to}`;
  if (action === 'workspace_member.removed') return `(${payload.role})`;
  if (givesRole.has(action)) return `as ${payload.role}`;
  if (successor !== null) {
    const hours = Number(payload.overlap_hours ?? 0);
    const overlap = hours === 0 ? 'with no overlap' : `with ${hours} h overlap`;
    const name = names.get(successor) ?? shortId(successor);
    // A rotation keeps the key's name, so the new key is only named if one of the two was renamed.
    return name === names.get(target_id) ? `, ${overlap}` : `to ${name}, ${overlap}`;
  }
  if (typeof payload.count === 'number') return `(${keysText(payload.count)})`;
  if (typeof payload.revoked_keys === 'number' && payload.revoked_keys > 0) {
    return `with ${keysText(payload.revoked_keys)}`;
  }
  return reason === null ? null : `“${reason}”`;
}

/** The permissions that a secret key lost, by name if there are only a few. */
function lostTail(payload: AuditRow['payload']): string | null {
  const lost = permissionsLost(payload);
  const [verb, names] =
    'removed' in lost ? ['removing', lost.removed] : (['leaving only', lost.left] as const);
  if (names.length === 0) return null;
  if (names.length > NAMED_MAX) return `, ${verb} ${names.length} permissions`;
  return `, ${verb} ${list.format(names.map((name) => `“${wordsFor(name)}”`))}`;
}

const wordsFor = (name: string): string =>
  Object.entries(permissionTexts).find(([permission]) => permission === name)?.[1] ?? name;
