// Shows what would be affected if a secret key stopped working, starting with its recent usage.
import type { Impact } from '@keyrail/client';
import { HOUR_MS } from '@keyrail/protocol/wire/durations.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { Loaded } from '../../shell/loaded.tsx';
import { classes } from '../../ui/classes.ts';
import { Time, useNow } from '../../ui/content/time.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import styles from './secret-key.module.css';
import { texts } from './texts.ts';

type Props = { impact: UseQueryResult<Impact>; nodes(count: number): string };

export const SecretImpact = ({ impact, nodes }: Props) => (
  <Loaded query={impact} failed={texts.impact.failed} skeleton={<SkeletonRows rows={2} />}>
    {({ last_used_at, nodes: count }) => (
      <ul className={classes(styles.lines, styles.impact)}>
        <LastUse at={last_used_at} />
        <li>
          <Icon name="node" />
          <span>{nodes(count)}</span>
        </li>
      </ul>
    )}
  </Loaded>
);

function LastUse({ at }: { at: string | null }) {
  const now = useNow();
  const isRecent = at !== null && now - Date.parse(at) < HOUR_MS;
  const { recent, used, never } = texts.impact;
  return (
    <li className={classes(isRecent && styles.recent)}>
      <Icon name={isRecent ? 'warning' : 'clock'} />
      {at === null ? (
        <span>{never}</span>
      ) : (
        <span>
          {isRecent ? recent : used} <Time at={at} />.
        </span>
      )}
    </li>
  );
}
