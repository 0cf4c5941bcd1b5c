// Values over time: drawn, or as a table that can be copied as CSV. The drawing is loaded when a
// chart is shown.
import { lazy, Suspense, useState } from 'react';
import { en } from '../texts/en.ts';
import styles from './chart.module.css';
import { CHART_PX, type ChartProps } from './chart-props.ts';
import { ChartTable } from './chart-table.tsx';
import { Segments } from './segments.tsx';
import type { Option } from './select.tsx';
import { Skeleton } from './skeleton.tsx';

const Drawing = lazy(async () => ({ default: (await import('./chart-drawing.tsx')).Drawing }));

type View = 'chart' | 'table';

const views: readonly Option<View>[] = [
  { value: 'chart', label: en.chart.chart },
  { value: 'table', label: en.chart.table },
];

export function Chart(props: ChartProps) {
  const [view, setView] = useState<View>('chart');
  const hasTraffic = props.series.some(({ values }) => values.some((value) => Boolean(value)));
  return (
    <figure className={styles.chart} aria-label={props.label}>
      {view === 'table' ? (
        <ChartTable {...props} />
      ) : hasTraffic ? (
        <Suspense fallback={<Skeleton height={CHART_PX + 28} />}>
          <Drawing {...props} />
        </Suspense>
      ) : (
        <p className={styles.none}>{en.chart.none}</p>
      )}
      <div className={styles.foot}>
        <Segments label={props.label} value={view} options={views} onValue={(next) => setView(next)} small />
      </div>
    </figure>
  );
}
