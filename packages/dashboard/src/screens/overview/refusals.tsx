// Denied requests by reason, with advice for each.
import { numberText } from '../../parts/traffic/numbers.ts';
import { deniedOf, type Overview } from '../../parts/traffic/ranges.ts';
import { type Place, paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Meter } from '../../ui/charts/meter.tsx';
import { Card } from '../../ui/content/card.tsx';
import { Link } from '../../ui/controls/link.tsx';
import styles from './overview.module.css';
import { texts } from './texts.ts';

type Lead = keyof typeof texts.leads;

type Target = { to(place: Place): string; search?: Record<string, string> };

const targets: Readonly<Record<Lead, Target>> = {
  explain: { to: paths.explain },
  expired: { to: paths.keys, search: { state: 'expired' } },
  projects: { to: paths.projects },
  nodes: { to: paths.nodes },
};

export function Refusals({ overview: { total } }: { overview: Overview }) {
  const denied = deniedOf(total);
  const reasons = [...total.denials].sort((a, b) => b.requests - a.requests);
  return (
    <Card title={texts.refusals}>
      {reasons.length === 0 ? (
        <p className={styles.none}>{texts.noRefusals}</p>
      ) : (
        <ul className={styles.refusals}>
          {reasons.map(({ reason, requests }) => (
            <li key={reason}>
              <Meter
                label={texts.refusal[reason].title}
                value={requests}
                max={denied}
                text={numberText(requests)}
                tone="warn"
              />
              <p className={styles.remedy}>
                {texts.refusal[reason].remedy} <Leads to={texts.refusal[reason].leads} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Leads({ to: name }: { to: Lead | undefined }) {
  const scope = useScope();
  if (!name) return null;
  const { to, search = {} } = targets[name];
  return (
    <Link to={to(scope)} search={search}>
      {texts.leads[name]}
    </Link>
  );
}
