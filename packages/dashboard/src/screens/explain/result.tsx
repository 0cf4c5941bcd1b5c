// Shows a node's decision and its checks in order, and how to fix the failed check.
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { KeyState } from '../../ui/content/key-state.tsx';
import { KeyText } from '../../ui/content/secret.tsx';
import { State } from '../../ui/content/state.tsx';
import { LocalTimes } from '../../ui/content/time.tsx';
import { Icon, type IconName } from '../../ui/controls/icon.tsx';
import { Link } from '../../ui/controls/link.tsx';
import styles from './explain.module.css';
import { Remedies, type ResultProps } from './remedies.tsx';
import { texts } from './texts.ts';
import type { Explanation } from './use-explain.ts';

type Outcome = Explanation['checks'][number]['outcome'];

const marks: Readonly<Record<Outcome, IconName>> = {
  pass: 'check',
  fail: 'close',
  skipped: 'more',
};

export function Result(props: ResultProps) {
  const { explanation } = props;
  const { key, reason, policy_version: version } = explanation;
  const isAllowed = explanation.verdict === 'allowed';
  const state = stateOf(explanation);
  const given = reason === null ? texts.passes : texts.reason(reason);
  return (
    <section className={styles.result} aria-label={texts.checks}>
      <header className={styles.verdict}>
        <div className={styles.verdictLine} role="status">
          <State tone={isAllowed ? 'good' : 'bad'} shape={isAllowed ? 'full' : 'cross'}>
            {isAllowed ? texts.allowed : texts.denied}
          </State>
          <span>{state === null ? given : texts.states[state]}</span>
        </div>
        {key && <KeyLine apiKey={key} />}
        {state !== null && <p className={styles.nodes}>{given}</p>}
        {/* Nodes are counted only if the key's project is known. */}
        {version !== null && (
          <p className={styles.nodes}>
            <strong>{texts.version(version)}. </strong>
            {texts.nodes(explanation.nodes)}
          </p>
        )}
      </header>
      <ol>
        {explanation.checks.map(({ check, outcome, detail }, at) => (
          <li
            key={check}
            className={styles.check}
            data-outcome={outcome}
            style={{ animationDelay: `${at * 30}ms` }}
          >
            <span className={styles.mark}>
              <Icon name={marks[outcome]} size={14} />
              <span className="unseen">{texts.outcomes[outcome]}</span>
            </span>
            <strong>{texts.checkNames[check]}</strong>
            <div className={styles.detail}>
              <p>
                <LocalTimes text={detail} />
              </p>
              {outcome === 'fail' && <Remedies {...props} check={check} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/**
 * The key state that caused the denial, or null. It is shown instead of the reason that nodes
 * report, because nodes don't keep revoked or disabled keys and report them as unknown.
 */
function stateOf({ checks, key }: Explanation): keyof typeof texts.states | null {
  const failed = checks.find(({ outcome }) => outcome === 'fail')?.check;
  if (failed === 'disabled' && key?.revoked_at) return 'revoked';
  return failed === 'disabled' || failed === 'revoked' || failed === 'expired' ? failed : null;
}

function KeyLine({ apiKey }: { apiKey: NonNullable<Explanation['key']> }) {
  const { slug } = useScope();
  return (
    <div className={styles.keyLine}>
      <Link to={paths.key({ slug, env: apiKey.env, keyId: apiKey.id })}>
        {apiKey.name ?? texts.unnamed}
      </Link>
      <KeyText text={apiKey.display_prefix} />
      <KeyState of={apiKey} />
    </div>
  );
}
