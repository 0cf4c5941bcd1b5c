// The deployment's status. Anyone can view it without signing in.
import type { Answer } from '@keyrail/client';
import { useApi } from '../../api/query.ts';
import { useSession } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Panel } from '../../shell/panel.tsx';
import { type Fact, SectionFacts } from '../../ui/content/section.tsx';
import { type Shape, State, type Tone } from '../../ui/content/state.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import styles from './system.module.css';
import { texts } from './texts.ts';

type Status = Answer<'GET /status'>;
type ComponentState = Status['status'];

const EVERY_MS = 10_000;

const looks: Readonly<Record<ComponentState, { tone: Tone; shape: Shape }>> = {
  ok: { tone: 'good', shape: 'full' },
  degraded: { tone: 'warn', shape: 'half' },
  down: { tone: 'bad', shape: 'cross' },
  not_configured: { tone: 'dim', shape: 'ring' },
  unknown: { tone: 'dim', shape: 'clock' },
};

export function Screen() {
  const status = useApi('GET /status', {}, { everyMs: EVERY_MS });
  const session = useSession();
  const foot =
    session.status === 'in' ? (
      <Link to={paths.workspaces}>{texts.back}</Link>
    ) : (
      <Link to={paths.signIn}>{texts.signIn}</Link>
    );
  return (
    <div className={styles.system}>
      <Panel title={texts.title} lead={texts.nodes} foot={foot}>
        <Loaded query={status} failed={texts.failed} skeleton={<SkeletonRows rows={6} />}>
          {(answer) => <Components status={answer} />}
        </Loaded>
        <Deployment status={status.data} />
        {!isSecureContext && <Insecure />}
        <Meanings />
      </Panel>
    </div>
  );
}

const StateOf = ({ state }: { state: ComponentState }) => (
  <State {...looks[state]}>{texts.states[state].name}</State>
);

const names = ['api', 'database', 'redis', 'worker', 'backup'] as const;

const Components = ({ status }: { status: Status }) => (
  <>
    <p role="status" className={`${styles.headline} ${styles[looks[status.status].tone]}`}>
      {texts.headlines[status.status]}
    </p>
    <ul aria-label={texts.list} className={styles.components}>
      {names.map((name) => (
        <li key={name}>
          <span className={styles.component}>
            <strong>{texts.components[name].name}</strong>
            {name === 'backup' ? (
              <AboutBackup state={status.components.backup} />
            ) : (
              <span>{texts.components[name].about}</span>
            )}
          </span>
          <StateOf state={status.components[name]} />
        </li>
      ))}
    </ul>
  </>
);

/** Says where the backups are, and what to do if they are in the data directory. */
function AboutBackup({ state }: { state: ComponentState }) {
  const place = useApi('GET /v1/deployment', {}).data?.backups;
  const isAtRisk = place === 'inside' && state !== 'not_configured';
  return (
    <>
      <span>{place ? texts.backups[place] : texts.components.backup.about}</span>
      {isAtRisk && <span className={styles.advice}>{texts.sameDisk}</span>}
    </>
  );
}

function Deployment({ status }: { status: Status | undefined }) {
  const deployment = useApi('GET /v1/deployment', {});
  const ready = useApi('GET /readyz', {}, { everyMs: EVERY_MS });
  const facts: Fact[] = [
    ...(ready.data ? [{ label: texts.ready, value: readyText(ready.data) }] : []),
    ...(ready.error && !ready.data ? [{ label: texts.ready, value: texts.readyNo }] : []),
    ...(status ? [{ label: texts.restore, value: restoreOf(status.restoreTest) }] : []),
    ...(deployment.data ? factsOf(deployment.data) : []),
  ];
  return facts.length === 0 ? null : <SectionFacts facts={facts} />;
}

const factsOf = ({ version, region, public_url }: Answer<'GET /v1/deployment'>): Fact[] => [
  { label: texts.version, value: version },
  { label: texts.region, value: region },
  { label: texts.address, value: public_url },
];

const readyText = ({ redis }: Answer<'GET /readyz'>): string =>
  redis.error === null ? texts.readyYes : `${texts.readyYes}. ${texts.redisFault(redis.error)}`;

const restoreOf = ({ lastRunAt, pass }: Status['restoreTest']) =>
  lastRunAt === null ? (
    texts.never
  ) : (
    <>
      <Time at={lastRunAt} />
      {pass !== null && `, ${pass ? texts.passed : texts.failedTest}`}
    </>
  );

const Insecure = () => (
  <div className={styles.insecure}>
    <Icon name="warning" />
    <p>
      <strong>{texts.insecure}.</strong> {texts.insecureText}
    </p>
  </div>
);

const shown = ['ok', 'degraded', 'down', 'not_configured', 'unknown'] as const;

const Meanings = () => (
  <details className={styles.meanings}>
    <summary>{texts.meanings}</summary>
    <dl>
      {shown.map((state) => (
        <div key={state}>
          <dt>
            <StateOf state={state} />
          </dt>
          <dd>{texts.states[state].about}</dd>
        </div>
      ))}
    </dl>
  </details>
);
