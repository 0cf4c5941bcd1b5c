// Edits rate limits. Each rule is one sentence with inputs: at most [1000] per [1 min] per [key],
// [sliding].
import type { Answer } from '@keyrail/client';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@keyrail/protocol/wire/durations.ts';
import { RATE_LIMIT_RULES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useId } from 'react';
import { rateLimits } from '../../texts/rate-limits.ts';
import { durationText } from '../content/spans.ts';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';
import { Input } from './input.tsx';
import styles from './rate-limits.module.css';
import { Select } from './select.tsx';

type Rules = NonNullable<Answer<'GET /v1/keys/{id}'>['rate_limits']>;
export type Rule = Rules[number];

const WINDOWS_MS = [SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, DAY_MS];

/** The values that a new rule starts with. */
export const firstRule: Rule = {
  id: 'requests',
  limit: 1000,
  window_ms: MINUTE_MS,
  algorithm: 'sliding',
  scope: 'key',
};

type Props = {
  rules: readonly Rule[];
  errors?: Readonly<Record<string, string>>;
  onRules(rules: Rule[]): void;
};

export function RateLimits({ rules, errors = {}, onRules }: Props) {
  const change = (at: number, changes: Partial<Rule>) =>
    onRules(rules.map((rule, each) => (each === at ? { ...rule, ...changes } : rule)));
  const add = () => onRules([...rules, { ...firstRule, id: freeId(rules) }]);
  return (
    <div className={styles.rules}>
      {rules.map((rule, at) => (
        <RuleLine
          key={rule.id}
          rule={rule}
          error={errors[`rate_limits.${at}.limit`] ?? errors[`rate_limits.${at}`]}
          onChange={(changes) => change(at, changes)}
          onRemove={() => onRules(rules.filter((one) => one !== rule))}
        />
      ))}
      {rules.length < RATE_LIMIT_RULES_MAX && (
        <div>
          <Button small icon="plus" onClick={add}>
            {rateLimits.add}
          </Button>
        </div>
      )}
    </div>
  );
}

function freeId(rules: readonly Rule[]): string {
  const isTaken = (id: string) => rules.some((rule) => rule.id === id);
  if (!isTaken(firstRule.id)) return firstRule.id;
  let at = 2;
  while (isTaken(`${firstRule.id}-${at}`)) at += 1;
  return `${firstRule.id}-${at}`;
}

type LineProps = {
  rule: Rule;
  error: string | undefined;
  onChange(changes: Partial<Rule>): void;
  onRemove(): void;
};

function RuleLine({ rule, error, onChange, onRemove }: LineProps) {
  const errorId = useId();
  const windows = [...new Set([...WINDOWS_MS, rule.window_ms])].sort((a, b) => a - b);
  return (
    <fieldset className={styles.rule}>
      <legend className="unseen">{rateLimits.rule(rule.id)}</legend>
      <span>{rateLimits.atMost}</span>
      <Input
        type="number"
        min={1}
        aria-label={rateLimits.limit}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? errorId : undefined}
        className={styles.number}
        value={rule.limit}
        onChange={({ target }) => onChange({ limit: target.valueAsNumber || 1 })}
      />
      <span>{rateLimits.per}</span>
      <Select
        inline
        aria-label={rateLimits.window}
        value={String(rule.window_ms)}
        options={windows.map((ms) => ({ value: String(ms), label: durationText(ms) }))}
        onValue={(ms) => onChange({ window_ms: Number(ms) })}
      />
      <span>{rateLimits.by}</span>
      <Select
        inline
        aria-label={rateLimits.counted}
        value={rule.scope}
        options={rateLimits.scopes}
        onValue={(scope) => onChange({ scope })}
      />
      <Select
        inline
        aria-label={rateLimits.algorithm}
        value={rule.algorithm}
        options={rateLimits.algorithms}
        onValue={(algorithm) => onChange({ algorithm })}
      />
      <IconButton icon="trash" label={rateLimits.remove(rule.id)} onClick={onRemove} />
      {error && (
        <p id={errorId} className={styles.error}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
