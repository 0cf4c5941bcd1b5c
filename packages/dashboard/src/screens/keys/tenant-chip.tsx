// The tenant filter. It has a search field, because there may be thousands of tenants.
import { useId, useState } from 'react';
import { useApi } from '../../api/query.ts';
import { Combobox } from '../../ui/controls/combobox.tsx';
import { reasonOf } from '../../ui/feedback/problem.tsx';
import { FilterChip } from '../../ui/tables/filters.tsx';
import styles from './keys.module.css';
import { texts } from './texts.ts';

type Props = { tenantId: string | null; onTenant(id: string | null): void };

const FOUND_MAX = 8;

export const TenantChip = ({ tenantId, onTenant }: Props) =>
  tenantId === null ? (
    <TenantSearch onTenant={onTenant} />
  ) : (
    <ChosenTenant tenantId={tenantId} onTenant={onTenant} />
  );

function ChosenTenant({ tenantId, onTenant }: { tenantId: string; onTenant: Props['onTenant'] }) {
  const tenants = useApi('GET /v1/tenants', { query: { id: [tenantId] } });
  const [tenant] = tenants.data?.data ?? [];
  const label = tenant?.name ?? tenant?.external_id ?? tenantId.slice(0, 8);
  return (
    <FilterChip
      label={texts.filters.tenant}
      value={tenantId}
      options={[{ value: tenantId, label }]}
      onValue={onTenant}
    />
  );
}

function TenantSearch({ onTenant }: { onTenant: Props['onTenant'] }) {
  const id = useId();
  const [text, setText] = useState('');
  const q = text.trim();
  const tenants = useApi('GET /v1/tenants', {
    query: { limit: FOUND_MAX, ...(q !== '' && { q }) },
  });
  const options = tenants.data?.data.map(({ id: value, name, external_id }) => ({
    value,
    label: name ?? external_id,
    ...(name !== null && { note: external_id }),
  }));
  return (
    <div className={styles.tenant}>
      <label htmlFor={id} className="unseen">
        {texts.filters.tenant}
      </label>
      <Combobox
        control={{ id, 'aria-describedby': undefined, 'aria-invalid': undefined }}
        text={text}
        options={options ?? null}
        hasMore={options?.length === FOUND_MAX}
        failed={tenants.error && reasonOf(tenants.error)}
        none={texts.filters.noTenants}
        placeholder={texts.filters.tenant}
        onText={setText}
        onChoose={({ value }) => onTenant(value)}
      />
    </div>
  );
}
