// Pauses this tab after another tab has switched workspaces, and asks how to continue.
import { type Membership, useMe } from '../api/me.ts';
import { paths } from '../paths.ts';
import { navigate } from '../router/location.ts';
import { en } from '../texts/en.ts';
import { Button } from '../ui/controls/button.tsx';
import { Problem } from '../ui/feedback/problem.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';

type Props = { membership: Membership; error: Error | null; onStay(): void };

export function Overtaken({ membership, error, onStay }: Props) {
  const me = useMe();
  // The workspace the other tab has switched to. It isn't known until the user's details have been
  // reloaded.
  const other = me.data?.memberships.find(
    ({ workspace_id }) =>
      workspace_id === me.data.active_workspace_id && workspace_id !== membership.workspace_id,
  );
  const { title, text, go, stay } = en.overtaken;
  return (
    <Dialog
      title={title(other?.name ?? en.overtaken.another)}
      actions={
        <>
          <Button onClick={onStay}>{stay(membership.name)}</Button>
          {other && (
            <Button kind="primary" onClick={() => void navigate(paths.workspace(other.slug))}>
              {go(other.name)}
            </Button>
          )}
        </>
      }
    >
      <p>{text(membership.name)}</p>
      {error && <Problem error={error} onRetry={onStay} />}
    </Dialog>
  );
}
