// The key's requests per day.
import { useApi } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import type { ApiKey } from '../../parts/key/key.ts';
import { texts } from '../../parts/key/texts.ts';
import { useSearch } from '../../router/use-search.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Chart } from '../../ui/charts/chart.tsx';
import { lastDays } from '../../ui/charts/intervals.ts';
import { Segments } from '../../ui/controls/segments.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import styles from './key.module.css';

const ranges = [7, 35, 90];
const DEFAULT_DAYS = 35;

const parseDays = ({ days }: Readonly<Record<string, string>>): number =>
  ranges.find((one) => String(one) === days) ?? DEFAULT_DAYS;

export function Usage({ of: key }: { of: ApiKey }) {
  const [days, setSearch] = useSearch(parseDays);
  const usage = useApi(
    'GET /v1/keys/{id}/usage',
    { params: { id: key.id }, query: { days } },
    { keeps: true },
  );
  return (
    <Loaded query={usage} failed={texts.usage.failed} skeleton={<Skeleton height={280} />}>
      {({ data: byDay }) => (
        <>
          <div className={styles.usageHead}>
            <Segments
              label={texts.usage.ranges.label}
              value={String(days)}
              options={ranges.map((one) => ({
                value: String(one),
                label: texts.usage.ranges.days(one),
              }))}
              onValue={(chosen) => setSearch({ days: chosen })}
            />
            <p className={styles.quiet}>
              {texts.usage.total(sumOf(byDay, 'requests'), sumOf(byDay, 'errors'))}
            </p>
          </div>
          {byDay.length === 0 ? (
            <Empty icon="usage" title={texts.usage.none} isList={false}>
              {texts.usage.noneText}
            </Empty>
          ) : (
            <Days byDay={byDay} days={lastDays(days, nowMs())} />
          )}
        </>
      )}
    </Loaded>
  );
}

type Day = { day: string; requests: number; errors: number };

const sumOf = (byDay: readonly Day[], field: 'requests' | 'errors'): number =>
  byDay.reduce((sum, one) => sum + one[field], 0);

function Days({ byDay, days }: { byDay: readonly Day[]; days: readonly string[] }) {
  const found = new Map(byDay.map((one) => [one.day, one]));
  const [first = ''] = [...found.keys()].sort();
  // Days before the first event have no data, which isn't the same as having no traffic.
  const valueAt = (day: string, value: (one: Day) => number): number | null => {
    const one = found.get(day);
    if (one) return value(one);
    return day < first ? null : 0;
  };
  return (
    <Chart
      label={texts.usage.title}
      kind="bars"
      times={days.map((day) => `${day}T00:00:00Z`)}
      series={[
        {
          name: texts.usage.answered,
          tone: 1,
          values: days.map((day) => valueAt(day, ({ requests, errors }) => requests - errors)),
        },
        {
          name: texts.usage.errors,
          tone: 2,
          values: days.map((day) => valueAt(day, ({ errors }) => errors)),
        },
      ]}
    />
  );
}
