// Placeholders for content that is loading. They only appear after 150 ms, so that they don't
// flicker if the response is quick.
import { en } from '../../texts/en.ts';
import styles from './skeleton.module.css';

export const Skeleton = ({ width = '100%', height = 16 }: { width?: string; height?: number }) => (
  <span className={styles.bone} style={{ width, height }} aria-hidden="true" />
);

const WIDTHS = ['58%', '74%', '42%', '66%', '50%'];

/** Placeholders for the rows of a table or list. */
export const SkeletonRows = ({ rows = 6 }: { rows?: number }) => (
  <div>
    <span role="status" className="unseen">
      {en.loading}
    </span>
    {Array.from({ length: rows }, (_, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
      <div key={at} className={styles.row}>
        <Skeleton width={WIDTHS[at % WIDTHS.length] ?? '50%'} height={12} />
        <Skeleton width="64px" height={12} />
        <Skeleton width="48px" height={12} />
      </div>
    ))}
  </div>
);

/** Placeholders for cards with metrics. */
export const SkeletonCards = ({ cards = 4, height = 92 }: { cards?: number; height?: number }) => (
  <div className={styles.cards}>
    <span role="status" className="unseen">
      {en.loading}
    </span>
    {Array.from({ length: cards }, (_, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all alike
      <Skeleton key={at} height={height} />
    ))}
  </div>
);
