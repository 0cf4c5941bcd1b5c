// Shows the numbers from a dry run, starting with usage in the last hour.
import type { Impact } from '@keyrail/client';
import { cappedCount } from '@keyrail/protocol/wire/capped-count.ts';
import { HOUR_MS } from '@keyrail/protocol/wire/durations.ts';
import { IMPACT_KEYS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { relativeTime } from '../content/spans.ts';
import { useNow } from '../content/time.tsx';
import { Icon } from '../controls/icon.tsx';
import styles from './impact-facts.module.css';
import { texts } from './impact-texts.ts';
import { Problem } from './problem.tsx';
import { Skeleton } from './skeleton.tsx';

type Figures = Pick<
  Impact,
  'keys' | 'capped' | 'active_keys' | 'tenants' | 'requests_24h' | 'requests_7d' | 'last_used_at'
> & { nodes: number | null; nodes_unable?: number | undefined };

type Query = { data: Impact | undefined; error: Error | null; refetch(): unknown };

/** The numbers once they have loaded, or the reason they couldn't be loaded. */
export const ImpactOf = ({ query, failed = texts.failed }: { query: Query; failed?: string }) =>
  query.error ? (
    <Problem error={query.error} title={failed} onRetry={query.refetch} />
  ) : (
    <ImpactFacts impact={query.data} />
  );

export function ImpactFacts({ impact }: { impact: Figures | undefined }) {
  const now = useNow();
  if (!impact) return <Skeleton height={76} />;
  const usedMs = impact.last_used_at === null ? null : Date.parse(impact.last_used_at);
  const isHot = usedMs !== null && now - usedMs < HOUR_MS;
  const lastUse = texts.used(usedMs === null ? null : relativeTime(usedMs, now), impact.capped);
  const count = (figure: number) => cappedCount(figure, impact);
  const facts: [string, string][] = [
    [texts.day, count(impact.requests_24h)],
    [texts.week, count(impact.requests_7d)],
    [texts.lastUse, lastUse],
  ];
  if (impact.nodes !== null) facts.push([texts.nodes, count(impact.nodes)]);
  if (impact.nodes_unable) facts.push([texts.nodesUnable, count(impact.nodes_unable)]);
  if (impact.active_keys > 1) facts.unshift([texts.keys, count(impact.active_keys)]);
  if (impact.tenants > 1) facts.push([texts.tenants, count(impact.tenants)]);
  return (
    <div className={styles.impact}>
      {isHot && (
        <p className={styles.hot}>
          <Icon name="warning" />
          {texts.hot(lastUse)}
        </p>
      )}
      {impact.keys > IMPACT_KEYS_MAX && <p>{texts.capped(count(impact.keys))}</p>}
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
