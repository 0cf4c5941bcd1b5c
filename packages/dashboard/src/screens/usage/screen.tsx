// The number of billable tenants per month, and one month's tenants with their request counts.

import { useApi } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/use-search.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { useScope } from '../../shell/scope.ts';
import { monthText } from '../../ui/charts/intervals.ts';
import { Card } from '../../ui/content/card.tsx';
import { LinkButton } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { lastMonths, MONTHS } from './months.ts';
import { TenantsOfMonth } from './tenants-of-month.tsx';
import { texts } from './texts.ts';
import styles from './usage.module.css';

export function Screen() {
  const { env } = useScope();
  const months = lastMonths(nowMs());
  const parse = ({ month }: Readonly<Record<string, string>>) =>
    months.find((one) => one === month) ?? months[0] ?? '';
  const [month, setSearch] = useSearch(parse);
  return (
    <Page title={texts.title} lead={texts.lead}>
      <div className={styles.columns}>
        {env === 'live' ? <Billing month={month} /> : <TestOnly />}
        <TenantsOfMonth
          month={month}
          months={months}
          onMonth={(next) => setSearch({ month: next === months[0] ? undefined : next })}
        />
      </div>
    </Page>
  );
}

function TestOnly() {
  const scope = useScope();
  return (
    <Card title={texts.testTitle}>
      <p className={styles.soft}>{texts.test}</p>
      <div>
        <LinkButton small to={paths.usage({ ...scope, env: 'live' })}>
          {texts.toLive}
        </LinkButton>
      </div>
    </Card>
  );
}

function Billing({ month }: { month: string }) {
  const scope = useScope();
  const billing = useApi('GET /v1/usage/billing', { query: { months: MONTHS } });
  return (
    <Card title={texts.billing} lead={texts.billingLead}>
      <Loaded query={billing} failed={texts.billingFailed} skeleton={<SkeletonRows rows={4} />}>
        {({ data: rows }) =>
          rows.length === 0 ? (
            <p className={styles.soft}>{texts.noMonths}</p>
          ) : (
            <ul className={styles.months}>
              {[...rows].reverse().map((row) => (
                <li key={row.month}>
                  <Link
                    to={paths.usage(scope)}
                    search={{ month: row.month.slice(0, 7) }}
                    replace
                    aria-current={row.month.startsWith(month) ? 'true' : undefined}
                    className={styles.month}
                  >
                    <span>{monthText(row.month)}</span>
                    <strong>{texts.tenants(row.active_tenants)}</strong>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
