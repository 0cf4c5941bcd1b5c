// Draws a chart as SVG, with bars for counts and lines for latencies. The scale starts at zero. The
// pointer and the arrow keys move a crosshair, and screen readers announce the values it points to.
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { en } from '../../texts/en.ts';
import { absoluteTime, shortCount } from '../content/spans.ts';
import styles from './chart.module.css';
import { Bars, Grid, Lines, Names, NamesOnTop } from './chart-marks.tsx';
import {
  BOTTOM,
  type ChartProps,
  colourOf,
  isNarrow,
  nearest,
  type Size,
  scalesOf,
  topOf,
} from './chart-scales.ts';

export function Drawing(props: ChartProps) {
  const { label, times } = props;
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const { width, height } = size;
  const [at, setAt] = useState<number | null>(null);
  const scales = scalesOf(props, size);
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const x = clientX - currentTarget.getBoundingClientRect().left;
    setAt(nearest(x, scales, times.length));
  };
  const press = (event: KeyboardEvent) => {
    const last = times.length - 1;
    const to = {
      ArrowLeft: Math.max(0, (at ?? times.length) - 1),
      ArrowRight: Math.min(last, (at ?? -1) + 1),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setAt(to);
  };
  return (
    <div
      ref={box}
      role="application"
      aria-label={`${label}. ${en.chart.hint}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the crosshair
      tabIndex={0}
      className={styles.drawing}
      onPointerMove={point}
      onPointerLeave={() => setAt(null)}
      onKeyDown={press}
      onBlur={() => setAt(null)}
    >
      <svg width={width} height={height} aria-hidden="true">
        <Grid {...props} size={size} scales={scales} />
        {props.kind === 'bars' ? (
          <Bars {...props} scales={scales} />
        ) : (
          <Lines {...props} scales={scales} />
        )}
        {isNarrow(size) ? (
          <NamesOnTop {...props} />
        ) : (
          <Names {...props} scales={scales} size={size} />
        )}
        {at !== null && (
          <line
            x1={scales.x(at)}
            x2={scales.x(at)}
            y1={topOf(size)}
            y2={height - BOTTOM}
            className={styles.crosshair}
          />
        )}
      </svg>
      {/* Rendered even when empty, because screen readers only announce changes in an existing
          element. */}
      <div role="status">
        {at !== null && <Values {...props} at={at} x={scales.x(at)} width={width} />}
      </div>
    </div>
  );
}

function useSize(box: { current: HTMLDivElement | null }): Size {
  const [size, setSize] = useState({ width: 640, height: 220 });
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      setSize({ width: Math.max(200, width), height: Math.max(120, height) });
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return size;
}

type ValuesProps = ChartProps & { at: number; x: number; width: number };

const Values = ({ times, series, at, x, width, format = shortCount }: ValuesProps) => (
  <div
    className={styles.values}
    style={x > width / 2 ? { right: width - x + 12 } : { left: x + 12 }}
  >
    <strong>{absoluteTime(new Date(times[at] ?? 0))}</strong>
    {series.map((one) => {
      const value = one.values[at];
      return (
        <span key={one.name}>
          <i style={{ background: colourOf(one) }} />
          {one.name} <b>{value === null || value === undefined ? '–' : format(value)}</b>
        </span>
      );
    })}
  </div>
);
