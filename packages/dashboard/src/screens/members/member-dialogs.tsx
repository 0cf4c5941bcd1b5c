// Dialogs that change a member's role, or explain why the last owner can't be removed.
import { roles } from '@keyrail/protocol/wire/roles.ts';
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import type { Role } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { Button } from '../../ui/controls/button.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import styles from './members.module.css';
import { type Member, nameOf, STALE } from './people.ts';
import { RoleField } from './role-field.tsx';
import { texts } from './texts.ts';

type Props = { member: Member; isSelf: boolean; onClose(): void };

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
