// Revokes a key, after showing when it was last used.
import { nowMs } from '../clock.ts';
import { type ApiKey, isInUse, nameOf } from '../core/api-key.ts';
import { relativeTime } from '../core/times.ts';
import { useChange } from '../core/use-change.ts';
import { Button } from '../ui/button.tsx';
import { useWidget } from '../ui/context.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { ProblemBox } from '../ui/problem.tsx';

type Props = { of: ApiKey; onRevoked(key: ApiKey): void; onClose(): void };

export function Revoke({ of: key, onRevoked, onClose }: Props) {
  const { words, session } = useWidget();
  const { isBusy, problem, run } = useChange('revoke', onRevoked);
  const submit = () =>
    run((client, signal) =>
      client.call('POST /v1/embed/keys/{id}/revoke', { params: { id: key.id }, signal }),
    );
  return (
    <Dialog
      title={words['revoke.title'](nameOf(key, words))}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{words['action.cancel']}</Button>
          <Button type="submit" kind="danger" busy={isBusy}>
            {words[session.test_mode ? 'revoke.submit_test' : 'revoke.submit']}
          </Button>
        </>
      }
    >
      <LastUse of={key} />
      <p>{words['revoke.text']}</p>
      <p>
        <code>{key.display_prefix}…</code>
      </p>
      {problem && <ProblemBox of={problem} />}
    </Dialog>
  );
}

function LastUse({ of: key }: { of: ApiKey }) {
  const { words } = useWidget();
  const now = nowMs();
  if (key.last_used_at === null) return <p>{words['revoke.never_used']}</p>;
  const when = relativeTime(key.last_used_at, words, now);
  if (!isInUse(key, now)) return <p>{words['revoke.used'](when)}</p>;
  return (
    <p class="note">
      <Icon name="warning" />
      {words['revoke.used_recently'](when)}
    </p>
  );
}
