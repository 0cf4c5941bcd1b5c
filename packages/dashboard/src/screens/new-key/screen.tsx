// Creates a key on one page. Beside the form is the same as a sentence, as curl and as a command.
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/query.ts';
import { nowMs } from '../../clock.ts';
import { paths } from '../../paths.ts';
import { NotAllowed } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { showSecret } from '../../shell/reveal.tsx';
import { useScope } from '../../shell/scope.ts';
import { useSearch } from '../../shell/search.ts';
import { Button } from '../../ui/button.tsx';
import { fieldErrors, Problem } from '../../ui/problem.tsx';
import type { Rule } from '../../ui/rate-limits.tsx';
import { Snippet } from '../../ui/snippet.tsx';
import { toast } from '../../ui/toast.tsx';
import { Place, UntilWhen, What } from './fields.tsx';
import { bodyOf, emptyKey, type NewKey, sentenceOf, snippetsOf } from './form.ts';
import { LikeKey } from './like-key.tsx';
import styles from './new-key.module.css';
import { keySnippets } from './snippets.ts';
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
      {scope.mayChange && like === null && <Form initial={emptyKey} projectRules={null} />}
      {scope.mayChange && like !== null && (
        <LikeKey key={like} id={like}>
          {(initial, rules) => <Form initial={initial} projectRules={rules} />}
        </LikeKey>
      )}
    </Page>
  );
}

type FormProps = { initial: NewKey; projectRules: readonly Rule[] | null };

function Form({ initial, projectRules }: FormProps) {
  const scope = useScope();
  const { env } = scope;
  const navigate = useNavigate();
  const [key, setKey] = useState(initial);
  const [inherited, setInherited] = useState(projectRules);
  const [isTried, setTried] = useState(false);
  const create = useChange('POST /v1/keys', { refreshes: ['/v1/keys', '/v1/workspace/summary'] });
  const missing = missingIn(key);
  const refused = fieldErrors(create.error);
  const errors = { ...refused, ...(isTried && missing) };
  // A tenant that is created in place arrives later, when more may have been typed.
  const put = (changes: Partial<NewKey>) => setKey((now) => ({ ...now, ...changes }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(missing).length > 0 || create.isPending) return;
    create.mutate(
      { body: bodyOf(key, env, nowMs()) },
      {
        onSuccess: (made) => {
          const open = () => void navigate({ to: paths.key(scope, made.id) });
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
        },
      },
    );
  };
  const isUnplaced = create.error && Object.keys(refused).length === 0;
  const part = { form: key, errors, onForm: put };
  return (
    <div className={styles.columns}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <Place {...part} onProjectRules={setInherited} />
        <What {...part} inherited={inherited} />
        <UntilWhen {...part} />
        {isUnplaced && <Problem error={create.error} />}
        <div className={styles.actions}>
          <Button type="submit" kind="primary" busy={create.isPending}>
            {texts.action(env)}
          </Button>
        </div>
      </form>
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

function missingIn({ project, tenant, expiry, date }: NewKey): Record<string, string> {
  return {
    ...(project === null && { project_id: texts.missing.project }),
    ...(tenant === null && { tenant_id: texts.missing.tenant }),
    ...(expiry === 'date' && date === null && { expires_at: texts.missingDate }),
  };
}
