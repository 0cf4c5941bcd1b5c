// How many nodes and keys are in each state. Each number links to the list it counts.
import type { Answer } from '@keyrail/client';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Card } from '../../ui/content/card.tsx';
import { count } from '../../ui/content/spans.ts';
import { type Shape, State, type Tone } from '../../ui/content/state.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Link } from '../../ui/controls/link.tsx';
import styles from './overview.module.css';
import { texts } from './texts.ts';

type Summary = Answer<'GET /v1/workspace/summary'>;
type Line = { tone: Tone; shape: Shape; search: Readonly<Record<string, string>> };

const keyLines: Readonly<Record<keyof typeof texts.keyStates, Line>> = {
  active: { tone: 'good', shape: 'full', search: { state: 'active' } },
  expiring: { tone: 'warn', shape: 'clock', search: { state: 'expiring' } },
  quarantined: { tone: 'bad', shape: 'triangle', search: { state: 'quarantined' } },
  unused: { tone: 'warn', shape: 'half', search: { unused: '90' } },
};

export function KeysSection({ summary }: { summary: Summary }) {
  const scope = useScope();
  const to = paths.keys(scope);
  const { keys, counted_max } = summary;
  return (
    <Card title={texts.keys} aside={<Link to={to}>{texts.allKeys}</Link>}>
      <ul className={styles.counts}>
        {(['active', 'expiring', 'quarantined', 'unused'] as const).map((name) => (
          <Counted
            key={name}
            {...keyLines[name]}
            label={texts.keyStates[name]}
            value={keys[name]}
            max={counted_max}
            to={to}
          />
        ))}
      </ul>
    </Card>
  );
}

const nodeLines: Readonly<Record<keyof typeof texts.nodeStates, Line>> = {
  current: { tone: 'good', shape: 'full', search: {} },
  behind: { tone: 'warn', shape: 'half', search: {} },
  away: { tone: 'dim', shape: 'ring', search: {} },
};

export function NodesSection({ summary }: { summary: Summary }) {
  const scope = useScope();
  const to = paths.nodes(scope);
  const { nodes, counted_max } = summary;
  const { connected, connected_behind: behind } = nodes;
  const known = nodes.current + nodes.behind + nodes.silent;
  const values = { current: connected - behind, behind, away: known - connected };
  return (
    <Card title={texts.nodes} aside={<Link to={to}>{texts.allNodes}</Link>}>
      {known === 0 ? (
        <p className={styles.none}>
          {texts.noNodes} <Link to={to}>{texts.connect}</Link>
        </p>
      ) : (
        <ul className={styles.counts}>
          {(['current', 'behind', 'away'] as const).map((name) => (
            <Counted
              key={name}
              {...nodeLines[name]}
              label={texts.nodeStates[name]}
              value={values[name]}
              max={counted_max}
              to={to}
            />
          ))}
          {nodes.last_seen_at !== null && (
            <li className={styles.heard}>
              {texts.lastSeen} <Time at={nodes.last_seen_at} />
            </li>
          )}
        </ul>
      )}
    </Card>
  );
}

type CountedProps = Line & { label: string; value: number | null; max: number; to: string };

/** A zero isn't highlighted, because there is nothing to do. */
function Counted({ tone, shape, search, label, value, max, to }: CountedProps) {
  const text = value === null ? texts.many : value >= max ? `${count(max)}+` : count(value);
  return (
    <li>
      <Link to={to} search={search} className={styles.count}>
        <State tone={value === 0 ? 'dim' : tone} shape={shape}>
          {label}
        </State>
        <strong>{text}</strong>
      </Link>
    </li>
  );
}
