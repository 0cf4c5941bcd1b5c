// A bar at the top while the server can't be reached. It counts down to the next retry.
import { useEffect, useState } from 'react';
import { tryNow, useConnection } from '../api/connection.ts';
import { nowMs } from '../clock.ts';
import { en } from '../texts/en.ts';
import { timeOfDay } from '../ui/content/spans.ts';
import { Button } from '../ui/controls/button.tsx';
import { Icon } from '../ui/controls/icon.tsx';
import styles from './offline-bar.module.css';

const TICK_MS = 1000;

export function OfflineBar() {
  const connection = useConnection();
  const [now, setNow] = useState(nowMs);
  const isAway = connection.state === 'away';
  useEffect(() => {
    if (!isAway) return;
    setNow(nowMs());
    const timer = setInterval(() => setNow(nowMs()), TICK_MS);
    return () => clearInterval(timer);
  }, [isAway]);
  if (connection.state === 'ok') return null;
  const { seenMs, nextTryMs } = connection;
  const wait = nextTryMs === null ? null : Math.max(1, Math.ceil((nextTryMs - now) / 1000));
  return (
    <section ref={keepRoom} className={styles.bar} aria-label={en.connection.label}>
      <Icon name="warning" />
      <p className={styles.text}>
        <span role="status">{en.connection.away(timeOfDay(new Date(seenMs)))}</span>{' '}
        <span className={styles.wait}>
          {wait === null ? en.connection.trying : en.connection.next(wait)}
        </span>
      </p>
      <Button small onClick={tryNow}>
        {en.tryAgain}
      </Button>
    </section>
  );
}

/** Makes the bar's height available to style sheets, so that sticky elements stay below it. */
function keepRoom(bar: HTMLElement) {
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty('--bar', `${bar.offsetHeight}px`));
  observer.observe(bar);
  return () => {
    observer.disconnect();
    style.removeProperty('--bar');
  };
}
