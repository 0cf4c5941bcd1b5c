// Invites a member. The link can be copied, in case the email is slow to arrive.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { showSecret } from '../../shell/reveal.tsx';
import type { Role } from '../../shell/scope.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { STALE } from './people.ts';
import { RoleField } from './role-field.tsx';
import { texts } from './texts.ts';

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { inviting } = texts;
  const invite = useChange('POST /v1/invites', { refreshes: STALE });
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const errors = fieldErrors(invite.error);
  const submit = () => {
    invite.mutate(
      { body: { email: email.trim(), role } },
      {
        onSuccess: (made) => {
          onClose();
          if (made.token === undefined) return toast(inviting.lost);
          showSecret({
            title: inviting.title(made.email),
            value: `${location.origin}/accept-invite#token=${made.token}`,
            copyLabel: inviting.copy,
            leaveText: inviting.leave,
            note: <p>{inviting.note}</p>,
          });
        },
      },
    );
  };
  return (
    <FormDialog
      title={texts.invite}
      action={inviting.action}
      change={invite}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={inviting.address}
        error={errors.email}
        type="email"
        autoFocus
        value={email}
        onValue={setEmail}
      />
      <RoleField label={inviting.role} role={role} onRole={setRole} />
    </FormDialog>
  );
}
