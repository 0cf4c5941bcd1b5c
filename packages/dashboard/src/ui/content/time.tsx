// Shows a relative time, and the absolute time on hover and focus. All times on a page update
// together.
import { useSyncExternalStore } from 'react';
import { nowMs } from '../../clock.ts';
import { Tooltip } from '../overlays/tooltip.tsx';
import { absoluteTime, relativeTime, tooltipTime } from './spans.ts';
import styles from './time.module.css';

const TICK_MS = 10_000;
/** Rows rendered within this time of each other use the same current time. */
const STEP_MS = 1000;

let tickedMs = nowMs();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  tickedMs = nowMs();
  for (const each of listeners) each();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    timer = setInterval(tick, TICK_MS);
    // Also updates when the tab becomes visible, because browsers slow down the timers of hidden
    // tabs.
    document.addEventListener('visibilitychange', tick);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tick);
  };
}

/**
 * Also reads the clock between ticks. The clock doesn't tick while no times are shown, so the last
 * tick may be long ago, and a recent event would appear to be in the future.
 */
function readClock(): number {
  const now = nowMs();
  if (Math.abs(now - tickedMs) >= STEP_MS) tickedMs = now;
  return tickedMs;
}

/** The current time. It advances every ten seconds, and whenever something else is rendered. */
export const useNow = (): number => useSyncExternalStore(subscribe, readClock);

/**
 * Text that depends on the current time. The component is only rendered again when the text
 * changes.
 */
export const useTextOfNow = (textOf: (nowMs: number) => string): string =>
  useSyncExternalStore(subscribe, () => textOf(readClock()));

type Props = { at: string };

export function Time({ at, never = '–' }: { at: string | null; never?: string }) {
  return at === null ? <span className={styles.never}>{never}</span> : <Known at={at} />;
}

function Known({ at }: Props) {
  const date = new Date(at);
  const text = useTextOfNow((nowMs) => relativeTime(date.getTime(), nowMs));
  return (
    <Tooltip text={tooltipTime(date)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: focus shows the absolute time */}
      <time dateTime={at} tabIndex={0} className={styles.time}>
        {text}
      </time>
    </Tooltip>
  );
}

const ISO_TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)/;

/** Text from the server. Any ISO 8601 times in it are shown in local time. */
export const LocalTimes = ({ text }: { text: string }) =>
  text.split(ISO_TIME).map((part, at) => (at % 2 === 1 ? <Absolute key={part} at={part} /> : part));

function Absolute({ at }: Props) {
  const date = new Date(at);
  return (
    <Tooltip text={tooltipTime(date)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: focus shows the time in UTC */}
      <time dateTime={at} tabIndex={0} className={styles.time}>
        {absoluteTime(date)}
      </time>
    </Tooltip>
  );
}
