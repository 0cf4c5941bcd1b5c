// Asks for confirmation before a key is changed, and shows the key, its tenant and the change. The
// link to this page may have been sent by a stranger, so the user must see every change before it
// is made.
import { DAY_MS } from '@keyrail/protocol/wire/durations.ts';
import { useState } from 'react';
import { useImpact } from '../../api/impact.ts';
import { useApi, useChange } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import { KeyText } from '../../ui/content/secret.tsx';
import { Time } from '../../ui/content/time.tsx';
import { ImpactOf } from '../../ui/feedback/impact-facts.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import styles from './explain.module.css';
import { texts } from './texts.ts';
import type { Explanation, Fix } from './use-explain.ts';

type ApiKey = NonNullable<Explanation['key']>;
type Props = { apiKey: ApiKey; fix: Fix; onDone(): void; onClose(): void };

const EXTENDED_MS = 30 * DAY_MS;
const refreshes = ['/v1/keys', '/v1/audit_logs'];

export function FixDialog({ apiKey, fix, onDone, onClose }: Props) {
  const { id, env } = apiKey;
  const [patch] = useState(() => patchOf(apiKey, fix));
  const enable = useChange('POST /v1/keys/{id}/enable', { refreshes });
  const edit = useChange('PATCH /v1/keys/{id}', { refreshes });
  const change = fix.act === 'enable' ? enable : edit;
  const impact = useImpact('PATCH /v1/keys/{id}', { params: { id }, body: patch });
  const tenant = useApi('GET /v1/tenants/{id}', { params: { id: apiKey.tenant_id } });
  const onSuccess = () => {
    toast(texts.fix.done[fix.act]);
    onClose();
    onDone();
  };
  const confirm = () => {
    // Nothing can be confirmed until the tenant is shown.
    if (!tenant.data) return;
    if (fix.act === 'enable') enable.mutate({ params: { id } }, { onSuccess });
    else edit.mutate({ params: { id }, body: patch }, { onSuccess });
  };
  return (
    <Confirm
      title={`${texts.fix.action(fix, env)}?`}
      action={texts.fix.action(fix, env)}
      danger={false}
      change={{ isPending: change.isPending || tenant.isPending, error: change.error }}
      onConfirm={confirm}
      onClose={onClose}
    >
      {fix.act === 'addScopes' && (
        <ul className={styles.newScopes} aria-label={texts.fix.scopes}>
          {fix.scopes.map((scope) => (
            <li key={scope}>
              <code>{scope}</code>
            </li>
          ))}
        </ul>
      )}
      <p>{texts.fix.meaning[fix.act]}</p>
      <Facts
        facts={[
          { name: texts.fix.key, value: <Name name={apiKey.name} text={apiKey.display_prefix} /> },
          {
            name: texts.fix.tenant,
            value: tenant.data ? (
              <Name name={tenant.data.name} text={tenant.data.external_id} />
            ) : (
              tenant.isPending && <Skeleton height={20} />
            ),
          },
          ...('expires_at' in patch
            ? [{ name: texts.fix.expires, value: <Time at={patch.expires_at} /> }]
            : []),
        ]}
      />
      {tenant.error && (
        <Problem error={tenant.error} title={texts.fix.noTenant} onRetry={tenant.refetch} />
      )}
      <ImpactOf query={impact} />
    </Confirm>
  );
}

const Name = ({ name, text }: { name: string | null; text: string }) => (
  <span className={styles.name}>
    {name !== null && <span className={styles.named}>{name}</span>}
    <KeyText text={text} />
  </span>
);

/**
 * The request body for a fix. Enabling a key changes no fields, so the body is empty and only used
 * to load the impact.
 */
function patchOf({ scopes, expires_at }: ApiKey, fix: Fix) {
  if (fix.act === 'addScopes') return { scopes: [...scopes, ...fix.scopes] };
  if (fix.act === 'enable') return {};
  // An explanation can be for a time in the future, so the key may not have expired yet. In that
  // case, the extension starts at the current expiry, so that the expiry never moves to an earlier
  // time.
  const fromMs = Math.max(nowMs(), Date.parse(expires_at ?? '') || 0);
  return { expires_at: new Date(fromMs + EXTENDED_MS).toISOString() };
}
