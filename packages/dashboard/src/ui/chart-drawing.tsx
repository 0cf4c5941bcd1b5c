// The drawing of a chart. The pointer or the arrow keys choose a moment; its values stand above.
import { max } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { area, curveMonotoneX, line } from 'd3-shape';
import { type KeyboardEvent, type PointerEvent, useId, useRef, useState } from 'react';
import { en } from '../texts/en.ts';
import styles from './chart.module.css';
import { CHART_PX, type ChartProps, type Series } from './chart-props.ts';
import { intervalText, tickText } from './intervals.ts';
import { shortCount } from './spans.ts';
import { useWidth } from './use-width.ts';

const LEFT = 44;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 22;
const TICK_PX = 76;

const MOVES: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowDown: (at) => at - 1,
  ArrowUp: (at) => at + 1,
  Home: () => 0,
  End: (_, last) => last,
};

export function Drawing({ label, times, interval, series, format }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const hintId = useId();
  const width = useWidth(box);
  const [chosen, setChosen] = useState<number | null>(null);
  const last = times.length - 1;
  const at = chosen === null ? null : Math.min(chosen, last);
  const x = scaleLinear([0, Math.max(1, last)], [LEFT, Math.max(LEFT + 1, width - RIGHT)]);
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left } = currentTarget.getBoundingClientRect();
    setChosen(Math.max(0, Math.min(last, Math.round(x.invert(clientX - left)))));
  };
  const press = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (event.key === 'Escape') setChosen(null);
    if (!move) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(last, move(at ?? last, last))));
  };
  const time = times[at ?? last] ?? 0;
  return (
    <>
      <Legend series={series} at={at} format={format}>
        {at === null ? null : intervalText(time, interval)}
      </Legend>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={hintId}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at ?? last}
        aria-valuetext={`${intervalText(time, interval)}: ${valuesText(series, at ?? last, format)}`}
        className={styles.plot}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setChosen(null)}
        onBlur={() => setChosen(null)}
        onKeyDown={press}
      >
        {width > 0 && <Plot {...{ times, interval, series, width, x, at }} />}
      </div>
      <span id={hintId} className="unseen">
        {en.chart.hint}
      </span>
    </>
  );
}

const valuesText = (series: readonly Series[], at: number, format: ChartProps['format']): string =>
  series.map(({ label, values }) => `${label} ${shown(values[at], format)}`).join(', ');

const shown = (value: number | null | undefined, format: ChartProps['format']): string =>
  value === null || value === undefined ? '–' : format(value);

type LegendProps = Pick<ChartProps, 'series' | 'format'> & {
  at: number | null;
  children: string | null;
};

/** The values of the chosen moment, or the totals. */
const Legend = ({ series, at, format, children }: LegendProps) => (
  <div className={styles.legend} aria-hidden="true">
    {series.map(({ id, label, color, values, total }) => (
      <span key={id} className={styles.entry}>
        <span className={styles.swatch} style={{ background: `var(--series-${color})` }} />
        {label}
        <strong>{at === null ? total : shown(values[at], format)}</strong>
      </span>
    ))}
    {children !== null && <span className={styles.moment}>{children}</span>}
  </div>
);

type PlotProps = Pick<ChartProps, 'times' | 'interval' | 'series'> & {
  width: number;
  x: (at: number) => number;
  at: number | null;
};

function Plot({ times, interval, series, width, x, at }: PlotProps) {
  const highest = max(series, ({ values }) => max(values, (value) => value ?? 0)) ?? 0;
  const y = scaleLinear([0, Math.max(1, highest)], [CHART_PX - BOTTOM, TOP]).nice(4);
  const lines = y.ticks(4).filter((tick) => highest >= 4 || Number.isInteger(tick));
  return (
    <svg width={width} height={CHART_PX} aria-hidden="true" className={styles.drawing}>
      {lines.map((tick) => (
        <g key={tick} transform={`translate(0,${Math.round(y(tick)) + 0.5})`}>
          <line x1={LEFT} x2={width - RIGHT} className={tick === 0 ? styles.base : styles.grid} />
          <text x={LEFT - 8} dy="0.32em" textAnchor="end" className={styles.tick}>
            {shortCount(tick)}
          </text>
        </g>
      ))}
      {ticksOf(times, interval, width).map((index) => (
        <text
          key={index}
          x={Math.min(x(index), width - RIGHT - 14)}
          y={CHART_PX - 5}
          textAnchor="middle"
          className={styles.tick}
        >
          {tickText(times[index] ?? 0, interval)}
        </text>
      ))}
      {series.map((one) => (
        <Line key={one.id} series={one} x={x} y={y} />
      ))}
      {at !== null && <Crosshair series={series} at={at} x={x(at)} y={y} />}
    </svg>
  );
}

/** Ticks at whole days or at hours that divide the day, as many as there is room for. */
function ticksOf(times: readonly number[], interval: 'hour' | 'day', width: number): number[] {
  const most = Math.max(2, Math.floor(width / TICK_PX));
  const steps = interval === 'hour' ? [1, 3, 6, 12, 24, 48] : [1, 2, 7, 14];
  const step = steps.find((each) => times.length / each <= most) ?? times.length;
  const place = (time: number, at: number) =>
    interval === 'hour' && step <= 24 ? new Date(time).getHours() : times.length - 1 - at;
  return times.flatMap((time, at) => (place(time, at) % step === 0 ? [at] : []));
}

type Scale = (value: number) => number;

function Line({ series, x, y }: { series: Series; x: Scale; y: Scale }) {
  const color = `var(--series-${series.color})`;
  const isThere = (value: number | null) => value !== null;
  const stroke = line<number | null>(
    (_, at) => x(at),
    (value) => y(value ?? 0),
  )
    .defined(isThere)
    .curve(curveMonotoneX);
  const fill = area<number | null>(
    (_, at) => x(at),
    y(0),
    (value) => y(value ?? 0),
  )
    .defined(isThere)
    .curve(curveMonotoneX);
  return (
    <>
      {series.filled && <path d={fill(series.values) ?? ''} fill={color} opacity={0.12} />}
      <path
        d={stroke(series.values) ?? ''}
        fill="none"
        stroke={color}
        strokeWidth={1.75}
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </>
  );
}

type CrosshairProps = { series: readonly Series[]; at: number; x: number; y: Scale };

const Crosshair = ({ series, at, x, y }: CrosshairProps) => (
  <>
    <line x1={x} x2={x} y1={TOP} y2={CHART_PX - BOTTOM} className={styles.crosshair} />
    {series.map(({ id, color, values }) => {
      const value = values[at];
      if (value === null || value === undefined) return null;
      return (
        <circle
          key={id}
          cx={x}
          cy={y(value)}
          r={3.5}
          fill={`var(--series-${color})`}
          className={styles.dot}
        />
      );
    })}
  </>
);
