// Dialogs that rotate an endpoint's signing secret or remove the endpoint.
import { useChange } from '../../api/query.ts';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { hostOf, STALE, type WebhookEndpoint } from './endpoint.ts';
import { showSigningSecret } from './endpoint-form.tsx';
import { texts } from './texts.ts';

type Props = { endpoint: WebhookEndpoint; onClose(): void };

export function RotateDialog({ endpoint, onClose }: Props) {
  const { rotating } = texts;
  const rotate = useChange('POST /v1/webhook_endpoints/{id}/rotate_secret', { refreshes: STALE });
  const confirm = () =>
    rotate.mutate(
      { params: { id: endpoint.id } },
      {
        onSuccess: (made) => {
          onClose();
          showSigningSecret(made);
        },
      },
    );
  return (
    <Confirm
      title={rotating.title(hostOf(endpoint))}
      action={rotating.action}
      danger={false}
      change={rotate}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{rotating.text}</p>
    </Confirm>
  );
}

export function RemoveDialog({ endpoint, onClose }: Props) {
  const { removing } = texts;
  const remove = useChange('DELETE /v1/webhook_endpoints/{id}', { refreshes: STALE });
  const host = hostOf(endpoint);
  const confirm = () =>
    remove.mutate({ params: { id: endpoint.id } }, thenClose(onClose, removing.done(host)));
  return (
    <Confirm
      title={removing.title(host)}
      action={removing.action}
      change={remove}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{removing.text}</p>
    </Confirm>
  );
}
