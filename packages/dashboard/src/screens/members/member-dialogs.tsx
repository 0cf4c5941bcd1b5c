import { roles } from '@keyrail/protocol/wire/roles.ts';
// Dialogs that change a member's role, remove a member, or explain why the last owner can't be
// removed.
import { useState } from 'react';
import { useImpact } from '../../api/impact.ts';
import { useChange, useList } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { type Role, useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { thenClose, toast } from '../../ui/feedback/toast.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import styles from './members.module.css';
import { type Member, nameOf, STALE } from './people.ts';
import { RoleField } from './role-field.tsx';
import { texts } from './texts.ts';

type Props = { member: Member; isSelf: boolean; onClose(): void };

const KEYS_READ = 100;
const KEYS_SHOWN = 5;

export function LastOwnerDialog({ member, onClose }: Props) {
  const { title, text, action } = texts.lastOwner;
  return (
    <Dialog
      title={title(nameOf(member))}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {action}
        </Button>
      }
    >
      <p>{text}</p>
    </Dialog>
  );
}

export function RoleDialog({ member, isSelf, onClose }: Props) {
  const { roleChange } = texts;
  const change = useChange('PATCH /v1/members/{userId}', { refreshes: STALE });
  const [role, setRole] = useState<Role>(member.role);
  const isSame = role === member.role;
  const roleName = en.roles[role].toLowerCase();
  const submit = () => {
    change.mutate(
      { params: { userId: member.user_id }, body: { role } },
      thenClose(onClose, roleChange.done(nameOf(member), roleName)),
    );
  };
  return (
    <FormDialog
      title={roleChange.title(nameOf(member))}
      action={roleChange.action(roleName)}
      because={isSame ? roleChange.same : null}
      change={change}
      onSubmit={submit}
      onClose={onClose}
    >
      <RoleField label={roleChange.role} role={role} onRole={setRole} />
      {roles.indexOf(role) > roles.indexOf(member.role) && <p>{roleChange.lower}</p>}
      {isSelf && !isSame && <p className={styles.warn}>{roleChange.ownRole}</p>}
    </FormDialog>
  );
}

export function RemoveDialog({ member, isSelf, onClose }: Props) {
  const { removing } = texts;
  const params = { userId: member.user_id };
  const impact = useImpact('DELETE /v1/members/{userId}', { params });
  const remove = useChange('DELETE /v1/members/{userId}', { refreshes: STALE });
  const name = nameOf(member);
  const confirm = () =>
    remove.mutate(
      { params },
      {
        onSuccess: () => {
          onClose();
          if (isSelf) void navigate(paths.workspaces);
          else toast(removing.done(name));
        },
      },
    );
  return (
    <Confirm
      title={isSelf ? removing.leaveTitle : removing.title(name)}
      action={isSelf ? removing.leaveAction : removing.action(name)}
      change={remove}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Loaded query={impact} failed={removing.failed} skeleton={<SkeletonRows rows={2} />}>
        {({ keys, capped }) =>
          keys === 0 && !capped ? (
            <p>{removing.none}</p>
          ) : (
            <CreatedKeys member={member} count={keys} capped={capped} />
          )
        }
      </Loaded>
      <p>{removing.text}</p>
    </Confirm>
  );
}

type CreatedKeysProps = { member: Member; count: number; capped: boolean };

/** Secret keys that keep working after the member is removed. */
function CreatedKeys({ member, count, capped }: CreatedKeysProps) {
  const { removing } = texts;
  const scope = useScope();
  const keys = useList('GET /v1/secret_keys', { query: { limit: KEYS_READ } });
  const created = (keys.pages?.flat() ?? []).filter(
    (one) => one.created_by === member.user_id && one.revoked_at === null,
  );
  const shown = created.slice(0, KEYS_SHOWN);
  return (
    <div className={styles.created}>
      <p>{removing.created(count, capped)}</p>
      <ul>
        {shown.map(({ id, name, display_prefix, env, last_used_at }) => (
          <li key={id}>
            <Link to={paths.secretKeys({ slug: scope.slug, env })}>{name ?? removing.unnamed}</Link>
            <KeyText text={display_prefix} />
            <Time at={last_used_at} never="" />
          </li>
        ))}
        {shown.length > 0 && count > shown.length && (
          <li>{removing.more(count - shown.length, capped)}</li>
        )}
      </ul>
    </div>
  );
}
