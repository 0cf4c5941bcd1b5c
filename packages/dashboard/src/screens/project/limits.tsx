// A project's default limits, and the number of keys that use them.
import type { Impact } from '@keyrail/client';
import { useState } from 'react';
import { useImpact } from '../../api/impact.ts';
import { useChange } from '../../api/query.ts';
import { useScope } from '../../shell/scope.ts';
import { limitChoice } from '../../texts/rate-limits.ts';
import { Card } from '../../ui/content/card.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { limitsOf, needsRule, rulesOf, ruleText } from '../../ui/controls/limits.ts';
import { LimitsChoice } from '../../ui/controls/limits-choice.tsx';
import { firstRule } from '../../ui/controls/rate-limits.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import styles from './project.module.css';
import { texts } from './texts.ts';
import type { Project } from './types.ts';

export function Limits({ project }: { project: Project }) {
  const { mayChange } = useScope();
  const [isOpen, setOpen] = useState(false);
  const inherit = useInheriting(project, mayChange);
  const rules = project.default_rate_limits;
  return (
    <Card
      title={texts.limits}
      lead={[texts.limitsLead, inherit && texts.inherit(inherit)].filter(Boolean).join(' ')}
      aside={
        mayChange && (
          <Button small onClick={() => setOpen(true)}>
            {texts.changeLimits}
          </Button>
        )
      }
    >
      {rules.length === 0 ? (
        <p className={styles.none}>{texts.noLimits}</p>
      ) : (
        <ul className={styles.rules}>
          {rules.map((rule) => (
            <li key={rule.id}>{ruleText(rule)}</li>
          ))}
        </ul>
      )}
      {isOpen && <ChangeLimits project={project} onClose={() => setOpen(false)} />}
    </Card>
  );
}

/**
 * Counts the keys that use the default limits, with a dry run of a change to those limits. Members
 * can't do dry runs.
 */
function useInheriting(project: Project, mayAsk: boolean): Impact | undefined {
  const isLimited = project.default_rate_limits.length > 0;
  const body = { default_rate_limits: isLimited ? [] : [firstRule] };
  const input = { params: { id: project.id }, body };
  return useImpact('PATCH /v1/projects/{id}', input, { enabled: mayAsk }).data;
}

function ChangeLimits({ project, onClose }: { project: Project; onClose(): void }) {
  const [limits, setLimits] = useState(limitsOf(project.default_rate_limits));
  const inherit = useInheriting(project, true);
  const save = useChange('PATCH /v1/projects/{id}', {
    refreshes: ['/v1/projects', '/v1/keys', '/v1/audit_logs'],
  });
  const errors = errorsOf(save.error);
  const submit = () => {
    const rules = rulesOf(limits);
    if (rules === null) return;
    save.mutate(
      { params: { id: project.id }, body: { default_rate_limits: rules } },
      thenClose(onClose, texts.form.limitsDone),
    );
  };
  return (
    <FormDialog
      kind="wide"
      title={texts.form.limitsTitle}
      action={texts.form.limitsAction}
      because={needsRule(limits) ? limitChoice.needsRule : null}
      change={save}
      onSubmit={submit}
      onClose={onClose}
    >
      {inherit && <p>{texts.form.changes(inherit)}</p>}
      <LimitsChoice of="project" limits={limits} errors={errors} onLimits={setLimits} />
    </FormDialog>
  );
}

/**
 * Renames the fields in the errors, because `LimitsChoice` expects the field name used for keys.
 */
const errorsOf = (error: Error | null): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fieldErrors(error)).map(([path, message]) => [
      path.replace(/^default_rate_limits/, 'rate_limits'),
      message,
    ]),
  );
