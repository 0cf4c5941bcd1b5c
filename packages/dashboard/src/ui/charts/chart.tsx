// A chart over time, which can also be shown as a table. The drawing code is loaded on demand.
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { loadChunk } from '../../load-chunk.ts';
import { en } from '../../texts/en.ts';
import { absoluteTime, zoneText } from '../content/spans.ts';
import { Button } from '../controls/button.tsx';
import { Copy } from '../controls/copy.tsx';
import { Skeleton } from '../feedback/skeleton.tsx';
import { csvOf } from '../tables/csv.ts';
import styles from './chart.module.css';
import type { ChartProps } from './chart-scales.ts';

const load = () => import('./chart-drawing.tsx');
const Drawing = lazy(async () => ({ default: (await loadChunk(load)).Drawing }));

const HEIGHT_PX = 220;

/** `aside` contains controls that change what the chart shows. */
export function Chart({ aside, ...props }: ChartProps & { aside?: ReactNode }) {
  const [isTable, setTable] = useState(false);
  const { label, series, times } = props;
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.caption}>
        <h2 className={styles.title}>{label}</h2>
        {times.length > 0 && (
          <span className={styles.zone}>{zoneText(new Date(times.at(-1) ?? 0))}</span>
        )}
        {aside}
        {isTable && <Copy text={csvOfChart(props)} label={en.chart.copyCsv} />}
        <Button kind="quiet" small onClick={() => setTable(!isTable)}>
          {isTable ? en.chart.chart : en.chart.table}
        </Button>
      </figcaption>
      {isTable ? (
        <Figures {...props} />
      ) : (
        <Suspense fallback={<Skeleton height={HEIGHT_PX} />}>
          <Drawing {...props} />
        </Suspense>
      )}
      {isEmpty && times.length > 0 && !isTable && <p className={styles.none}>{en.chart.none}</p>}
    </figure>
  );
}

const Figures = ({ label, series, times, format = String }: ChartProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table is scrolled with the keyboard
  <section className={styles.scroller} tabIndex={0} aria-label={label}>
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{en.chart.time}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, at) => (
          <tr key={time}>
            <th scope="row">{absoluteTime(new Date(time))}</th>
            {series.map(({ name, values }) => (
              <td key={name}>{shown(values[at], format)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const shown = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '' : format(value);

const csvOfChart = ({ series, times }: ChartProps): string =>
  csvOf(
    ['time', ...series.map(({ name }) => name)],
    times.map((time, at) => [time, ...series.map(({ values }) => values[at] ?? null)]),
  );
