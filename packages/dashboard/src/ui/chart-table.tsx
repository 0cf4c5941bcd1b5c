// The values of a chart as a table, newest first, and as CSV.
import { en } from '../texts/en.ts';
import styles from './chart.module.css';
import type { ChartProps } from './chart-props.ts';
import { Copy } from './copy.tsx';
import { csvOf } from './csv.ts';
import { intervalText } from './intervals.ts';

export function ChartTable({ label, times, interval, series, format }: ChartProps) {
  const csv = () =>
    csvOf(
      [en.chart.time, ...series.map((one) => one.label)],
      times.map((time, at) => [
        new Date(time).toISOString(),
        ...series.map(({ values }) => values[at] ?? null),
      ]),
    );
  return (
    <>
      {/* biome-ignore lint/a11y: the box is scrolled with the keyboard */}
      <div className={styles.scroller} tabIndex={0} role="region" aria-label={label}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{en.chart.time}</th>
              {series.map((one) => (
                <th key={one.id} scope="col" className={styles.number}>
                  {one.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times
              .map((time, at) => ({ time, at }))
              .reverse()
              .map(({ time, at }) => (
                <tr key={time}>
                  <th scope="row">{intervalText(time, interval)}</th>
                  {series.map(({ id, values }) => (
                    <td key={id} className={styles.number}>
                      {shown(values[at] ?? null, format)}
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      <div className={styles.csv}>
        <Copy text={csv()} label={en.chart.copyCsv} labelled />
      </div>
    </>
  );
}

const shown = (value: number | null, format: (value: number) => string): string =>
  value === null ? '–' : format(value);
