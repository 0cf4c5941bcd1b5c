// The number of active tenants in each recent month. Only live traffic counts.
import { useApi } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { monthText } from '../../ui/charts/intervals.ts';
import { Card } from '../../ui/content/card.tsx';
import { Link } from '../../ui/controls/link.tsx';
import styles from './overview.module.css';
import { texts } from './texts.ts';

const MONTHS = 3;

export function ActiveTenants({ everyMs }: { everyMs: number }) {
  const scope = useScope();
  const months = useApi('GET /v1/usage/billing', { query: { months: MONTHS } }, { everyMs });
  const aside = <Link to={paths.usage(scope)}>{texts.allMonths}</Link>;
  return (
    <Card title={texts.months} aside={aside}>
      <Loaded query={months} failed={texts.failed.months}>
        {({ data: rows }) =>
          rows.length === 0 ? (
            <p className={styles.none}>{texts.noMonths}</p>
          ) : (
            <ul className={styles.counts}>
              {[...rows].reverse().map(({ month, active_tenants }) => (
                <li key={month} className={styles.count}>
                  {monthText(month)}
                  <strong>{texts.tenants(active_tenants)}</strong>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
