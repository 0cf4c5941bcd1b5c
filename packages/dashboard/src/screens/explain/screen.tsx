import { SCOPES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { UUID } from '@keyrail/protocol/wire/uuid.ts';
// Explains why a node allows or denies a key: the checks, the fix, and the caller's response. The
// full key is only in the input, never in the URL, in state or in a cache.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useSearch } from '../../router/use-search.ts';
import { listenForKey, takeHandedKey } from '../../shell/handed-key.ts';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { CallerAnswer } from './caller-answer.tsx';
import styles from './explain.module.css';
import { type Asking, QuestionForm } from './question-form.tsx';
import { Result } from './result.tsx';
import { texts } from './texts.ts';
import { type Question, useExplain } from './use-explain.ts';

type Search = { keyId: string | null; projectId: string | null; scopes: string[] };

const parse = (search: Readonly<Record<string, string>>): Search => ({
  keyId: idIn(search.key_id),
  projectId: idIn(search.project_id),
  scopes: (search.scopes ?? '').split(' ').filter(Boolean).slice(0, SCOPES_MAX),
});

const idIn = (text = ''): string | null => (UUID.test(text) ? text : null);

export function Screen() {
  const [{ keyId, projectId, scopes }, setSearch] = useSearch(parse);
  const [env, setEnv] = useState<Asking['env']>('any');
  const [at, setAt] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const { ask, ...asked } = useExplain();
  const asking: Asking = { keyId, scopes, env, at };
  const latest = useRef({ asking, projectId });
  latest.current = { asking, projectId };
  const again = useCallback(
    (changes: Partial<Asking> = {}) => {
      const now = { ...latest.current.asking, ...changes };
      const question = questionOf(now, latest.current.projectId, input.current?.value ?? '');
      if (question) ask(question);
    },
    [ask],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a result belongs to one project
  useEffect(() => {
    const takesHanded = (): boolean => {
      const handed = takeHandedKey();
      if (handed !== null && input.current) input.current.value = handed;
      if (handed !== null) again({ keyId: null });
      return handed !== null;
    };
    if (!takesHanded() && keyId !== null) again({ keyId });
    return listenForKey(takesHanded);
  }, [keyId, projectId, again]);
  const change = ({ keyId: id, scopes: wanted, env: required, at: moment }: Partial<Asking>) => {
    if (required !== undefined) setEnv(required);
    if (moment !== undefined) setAt(moment);
    if (id === undefined && wanted === undefined) return;
    if (id && input.current) input.current.value = '';
    setSearch({
      ...(id !== undefined && { key_id: id ?? undefined, project_id: undefined }),
      ...(wanted !== undefined && { scopes: wanted.join(' ') }),
    });
  };
  const { explanation, error, isPending } = asked;
  return (
    <Page title={texts.title} lead={texts.lead} wide>
      <ReadOnly />
      <div className={styles.split}>
        <QuestionForm
          asking={asking}
          input={input}
          busy={isPending}
          onChange={change}
          onAsk={again}
        />
        <div className={styles.side}>
          {error && <Problem error={error} title={texts.failed} onRetry={() => again()} />}
          {!explanation && isPending && <SkeletonRows rows={9} />}
          {!explanation && !error && !isPending && (
            <Empty
              icon="explain"
              title={texts.emptyTitle}
              isList={false}
              link={<a href="/docs#group-api-keys">{texts.docs}</a>}
            >
              {texts.empty}
            </Empty>
          )}
          {explanation && (
            <Result
              key={explanation.key?.id ?? ''}
              explanation={explanation}
              scopes={asked.scopes}
              onChange={change}
              onAgain={again}
              input={input}
            />
          )}
        </div>
        {explanation && <CallerAnswer explanation={explanation} scopes={asked.scopes} />}
      </div>
    </Page>
  );
}

function questionOf(
  { keyId, scopes, env, at }: Asking,
  projectId: string | null,
  text: string,
): Question | null {
  if (keyId === null && text === '') return null;
  return {
    ...(keyId === null ? { key: text } : { key_id: keyId }),
    ...(projectId !== null && { project_id: projectId }),
    ...(scopes.length > 0 && { scopes: [...scopes] }),
    ...(env !== 'any' && { env }),
    ...(at !== null && { at }),
  };
}
