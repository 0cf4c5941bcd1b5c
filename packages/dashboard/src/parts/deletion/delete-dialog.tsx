// Deletes a tenant or a project, after showing what the deletion affects.
import { useImpact } from '../../api/impact.ts';
import { useApi, useChange, useRefresh } from '../../api/query.ts';
import { ImpactOf } from '../../ui/feedback/impact-facts.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { texts } from './texts.ts';

type Kind = 'tenant' | 'project';

const lines = {
  tenant: 'DELETE /v1/tenants/{id}',
  project: 'DELETE /v1/projects/{id}',
} as const;

const REFRESHES = ['/v1/tenants', '/v1/projects', '/v1/keys', '/v1/workspace', '/v1/audit_logs'];

type Props = { kind: Kind; id: string; name: string; onClose(): void; onDeleted(): Promise<void> };

export function DeleteDialog({ kind, id, name, onClose, onDeleted }: Props) {
  const input = { params: { id } };
  const impact = useImpact(lines[kind], input);
  const live = useApi('GET /v1/keys/counts', { query: { by: kind, env: 'live', id: [id] } });
  const change = useChange(lines[kind]);
  const refresh = useRefresh();
  // If the number of live keys couldn't be loaded, assume that there are several.
  const liveKeys = live.error ? Infinity : (live.data?.data[0]?.active ?? 0);
  const confirm = () =>
    change.mutate(input, {
      onSuccess: async ({ revoked_keys }) => {
        toast(texts.done(name, revoked_keys));
        // Leave the page first. Otherwise, it would request the object that has just been deleted.
        await onDeleted();
        await refresh(...REFRESHES);
      },
      onError: () => void refresh(...REFRESHES),
    });
  return (
    <Confirm
      title={texts.title[kind](name)}
      action={texts.action[kind]}
      // The name only has to be typed if several live keys would be revoked, which can take a
      // customer's service down. A single key is easy to replace.
      typed={liveKeys > 1 ? name : null}
      change={{ isPending: change.isPending || live.isPending, error: change.error }}
      onConfirm={confirm}
      onClose={onClose}
    >
      <ImpactOf query={impact} failed={texts.noImpact} />
      <p>{texts.meaning[kind]}</p>
    </Confirm>
  );
}
