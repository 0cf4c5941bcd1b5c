// Two bars on a timeline: one for the old key until it expires, and one for the new key from now
// on.

import { HOUR_MS } from '@keyrail/protocol/wire/durations.ts';
import { endAfterRotationMs } from '@keyrail/protocol/wire/key-states.ts';
import { nowMs } from '../../clock.ts';
import { classes } from '../../ui/classes.ts';
import { momentText } from '../../ui/content/spans.ts';
import styles from './overlap.module.css';
import { texts } from './texts.ts';

/**
 * The position of the current time. The old key's bar starts to the left of it, because the old key
 * already works.
 */
const NOW_PERCENT = 18;
const END_PERCENT = 78;

type Props = { hours: number; expiresAt: string | null };

export function Overlap({ hours, expiresAt }: Props) {
  const { rotate } = texts;
  const now = nowMs();
  const overlapEndMs = now + hours * HOUR_MS;
  const endMs = endAfterRotationMs(expiresAt, overlapEndMs);
  const until = momentText(new Date(endMs), now);
  const isNow = hours === 0;
  const oldEnd = isNow ? NOW_PERCENT : END_PERCENT;
  return (
    <figure className={styles.overlap}>
      <div className={styles.bars} aria-hidden="true">
        <span>{rotate.old}</span>
        <div className={styles.track}>
          <i className={styles.oldBar} style={{ width: `${oldEnd}%` }} />
        </div>
        <span>{rotate.new}</span>
        <div className={styles.track}>
          <i className={styles.newBar} style={{ left: `${NOW_PERCENT}%` }} />
        </div>
        <span />
        <div className={classes(styles.track, styles.times)}>
          <time style={{ left: `${NOW_PERCENT}%` }}>{rotate.now}</time>
          {!isNow && <time style={{ left: `${END_PERCENT}%` }}>{until}</time>}
        </div>
      </div>
      <figcaption>
        {isNow ? rotate.chartNow : rotate.chart(until)}{' '}
        {endMs < overlapEndMs && !isNow && rotate.earlier}
      </figcaption>
    </figure>
  );
}
