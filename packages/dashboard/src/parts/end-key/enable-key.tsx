// Enables a disabled key.
import { useChange } from '../../api/query.ts';
import { Time } from '../../ui/content/time.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { texts } from './texts.ts';
import type { ApiKey } from './watch.ts';

export function EnableKey({ of: key, onClose }: { of: ApiKey; onClose(): void }) {
  const enable = useChange('POST /v1/keys/{id}/enable', {
    refreshes: ['/v1/keys', '/v1/audit_logs', '/v1/workspace/summary'],
  });
  const name = key.name ?? key.display_prefix;
  const confirm = () =>
    enable.mutate({ params: { id: key.id } }, thenClose(onClose, texts.enable.done(name)));
  return (
    <Confirm
      title={texts.enable.title(name)}
      action={texts.enable.action(key.env)}
      danger={false}
      change={enable}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{texts.enable.text}</p>
      <p>
        {texts.enable.since} <Time at={key.disabled_at} />
        {key.disabled_reason !== null && `. ${texts.enable.reason(key.disabled_reason)}`}
      </p>
    </Confirm>
  );
}
