// Creates a key. The request is shown next to the form as a sentence, as curl and as a CLI command.
import { useState } from 'react';
import { nowMs } from '../../clock.ts';
import { keySnippets } from '../../parts/key/snippets.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import { useSearch } from '../../router/use-search.ts';
import { NotAllowed } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { showSecret } from '../../shell/reveal.tsx';
import { useScope } from '../../shell/scope.ts';
import { limitChoice } from '../../texts/rate-limits.ts';
import { Snippet } from '../../ui/content/snippet.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { needsRule } from '../../ui/controls/limits.ts';
import { fieldErrors, outcomeOf, Problem } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { type Failure, useCreateKey } from './create-key.ts';
import { Place, UntilWhen, What } from './fields.tsx';
import { type Chosen, emptyKey, type NewKey, sentenceOf, snippetsOf } from './form.ts';
import { LikeKey } from './like-key.tsx';
import styles from './new-key.module.css';
import { texts } from './texts.ts';

const parse = ({ like }: Readonly<Record<string, string>>) => like ?? null;

export function Screen() {
  const scope = useScope();
  const [like] = useSearch(parse);
  const title = texts.title(scope.env);
  const crumbs = [{ label: texts.crumb, to: paths.keys(scope) }];
  return (
    <Page title={title} crumbs={crumbs}>
      {!scope.mayChange && <NotAllowed />}
      {scope.mayChange && like === null && <CreateForm initial={emptyKey} />}
      {scope.mayChange && like !== null && (
        <LikeKey key={like} id={like}>
          {(initial) => <CreateForm initial={initial} />}
        </LikeKey>
      )}
    </Page>
  );
}

function CreateForm({ initial }: { initial: NewKey }) {
  const scope = useScope();
  const { env } = scope;
  const [key, setKey] = useState(initial);
  const [isTried, setTried] = useState(false);
  const { createKey, isBusy, failure, forget } = useCreateKey(env, (chosen, id) => {
    const existing = <C extends Chosen | null>(one: C): C =>
      one === chosen ? { ...one, id } : one;
    setKey((now) => ({ ...now, project: existing(now.project), tenant: existing(now.tenant) }));
  });
  const missing = missingIn(key);
  const refused = refusedBy(failure);
  const errors = { ...refused, ...(isTried && missing) };
  // Updates the form's latest state, because the ID of a new project or tenant may have been added
  // since the last render.
  const put = (changes: Partial<NewKey>) => {
    if ('project' in changes) forget('project');
    if ('tenant' in changes) forget('tenant');
    setKey((now) => ({ ...now, ...changes }));
  };
  const submit = async () => {
    setTried(true);
    if (Object.keys(missing).length > 0) return;
    const made = await createKey(key);
    if (made === null) return;
    const open = () => void navigate(paths.key({ ...scope, keyId: made.id }));
    if (made.key === undefined) {
      toast(texts.lost);
      return open();
    }
    showSecret({
      title: texts.revealTitle(env, made.name ?? made.display_prefix),
      value: made.key,
      snippets: keySnippets(made.key),
      onStored: open,
    });
  };
  const part = { form: key, errors, onForm: put };
  return (
    <div className={styles.columns}>
      <Form className={styles.form} onSubmit={() => void submit()}>
        <Place {...part} />
        <What {...part} />
        <UntilWhen {...part} />
        {failure && Object.keys(refused).length === 0 && <Problem error={failure.error} />}
        <div className={styles.actions}>
          <Button type="submit" kind="primary" busy={isBusy}>
            {texts.action(env)}
          </Button>
        </div>
      </Form>
      <aside className={styles.same} aria-label={texts.same}>
        <p className={styles.sentence}>{sentenceOf(key, env, nowMs())}</p>
        <Snippet
          label={texts.asCode}
          texts={snippetsOf(key, { env, nowMs: nowMs(), origin: window.location.origin })}
        />
      </aside>
    </div>
  );
}

/**
 * The errors by field. If a new project or tenant couldn't be created, its field shows the server's
 * message about an invalid field or, if there is none, the whole error.
 */
function refusedBy(failure: Failure | null): Readonly<Record<string, string>> {
  if (failure === null) return {};
  const { at, error } = failure;
  const fields = fieldErrors(error);
  return at === 'key' ? fields : { [`${at}_id`]: Object.values(fields)[0] ?? outcomeOf(error) };
}

function missingIn({ project, tenant, limits, expiry, date }: NewKey): Record<string, string> {
  return {
    ...(project === null && { project_id: texts.missing.project }),
    ...(tenant === null && { tenant_id: texts.missing.tenant }),
    ...(needsRule(limits) && { rate_limits: limitChoice.needsRule }),
    ...(expiry === 'date' && date === null && { expires_at: texts.missingDate }),
  };
}
