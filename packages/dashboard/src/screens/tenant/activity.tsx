// The tenant's requests per month, across all projects.
import { useApi } from '../../api/query.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { monthText } from '../../ui/charts/intervals.ts';
import { Meter } from '../../ui/charts/meter.tsx';
import { Card } from '../../ui/content/card.tsx';
import styles from './tenant.module.css';
import { texts } from './texts.ts';
import type { Tenant } from './types.ts';

const MONTHS = 12;

export function Activity({ tenant }: { tenant: Tenant }) {
  const { env } = useScope();
  const query = { tenant_id: tenant.id, env, months: MONTHS };
  const activity = useApi('GET /v1/usage/tenants', { query });
  return (
    <Card title={texts.months[env]}>
      <Loaded query={activity} failed={texts.monthsFailed}>
        {({ data: rows }) => {
          const months = new Map<string, number>();
          for (const { month, request_count } of rows) {
            months.set(month, (months.get(month) ?? 0) + request_count);
          }
          if (months.size === 0) return <p className={styles.none}>{texts.noMonths[env]}</p>;
          const max = Math.max(...months.values());
          return (
            <ul className={styles.months}>
              {[...months].reverse().map(([month, requests]) => (
                <li key={month}>
                  <Meter
                    label={monthText(month)}
                    value={requests}
                    max={max}
                    text={texts.requests(requests)}
                  />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}
