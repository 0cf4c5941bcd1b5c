// A time relative to now; absolute on hover and focus. All times on a page tick together.
import { useSyncExternalStore } from 'react';
import { nowMs } from '../clock.ts';
import { absoluteTime, relativeTime } from './spans.ts';
import styles from './time.module.css';
import { Tooltip } from './tooltip.tsx';

const TICK_MS = 10_000;

let tickedMs = nowMs();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tickedMs = nowMs();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time now, in steps of ten seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => tickedMs);

/** A text that depends on the time; the component renders again only when the text changes. */
export const useTextOfNow = (textOf: (nowMs: number) => string): string =>
  useSyncExternalStore(subscribe, () => textOf(tickedMs));

type Props = { at: string };

export function Time({ at, never = '–' }: { at: string | null; never?: string }) {
  return at === null ? <span className={styles.never}>{never}</span> : <Known at={at} />;
}

function Known({ at }: Props) {
  const date = new Date(at);
  const text = useTextOfNow((nowMs) => relativeTime(date.getTime(), nowMs));
  return (
    <Tooltip text={absoluteTime(date)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard shows the absolute time */}
      <time dateTime={at} tabIndex={0} className={styles.time}>
        {text}
      </time>
    </Tooltip>
  );
}
