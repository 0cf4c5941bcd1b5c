// A choice of rate limits: the project's defaults, custom limits or, with a warning, none.
import { limitChoice as texts } from '../../texts/rate-limits.ts';
import { Icon } from './icon.tsx';
import { type Limits, needsRule, ruleText } from './limits.ts';
import styles from './rate-limits.module.css';
import { RateLimits, type Rule } from './rate-limits.tsx';
import { Segments } from './segments.tsx';

type Props = {
  limits: Limits;
  /**
   * Whether the limits are for a key or for a project. A project's limits are the defaults for its
   * keys.
   */
  of: 'key' | 'project';
  /** The project's defaults, if they are known. */
  inherited?: readonly Rule[] | undefined;
  errors: Readonly<Record<string, string>>;
  onLimits(limits: Limits): void;
};

export function LimitsChoice({ limits, of, inherited, errors, onLimits }: Props) {
  return (
    <div className={styles.choice}>
      <Segments
        label={texts.label}
        value={limits.kind}
        options={of === 'key' ? texts.kinds : texts.kinds.slice(1)}
        onValue={(kind) => onLimits({ ...limits, kind })}
      />
      {limits.kind === 'project' && inherited && (
        <p className={styles.note}>{texts.inherited(inherited.map(ruleText))}</p>
      )}
      {limits.kind === 'custom' && (
        <RateLimits
          rules={limits.rules}
          errors={errors}
          onRules={(rules) => onLimits({ ...limits, rules })}
        />
      )}
      {limits.kind === 'unlimited' && (
        <p className={styles.warning}>
          <Icon name="warning" />
          <span>{texts.unlimited[of]}</span>
        </p>
      )}
      {errors.rate_limits ? (
        <p className={styles.error} role="alert">
          {errors.rate_limits}
        </p>
      ) : (
        needsRule(limits) && <p className={styles.note}>{texts.needsRule}</p>
      )}
    </div>
  );
}
