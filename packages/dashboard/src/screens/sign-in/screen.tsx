// Signing in. All wrong inputs get the same message.
import { KeyrailError } from '@keyrail/client';
import { useState } from 'react';
import { checkedNext } from '../../api/next.ts';
import { useChange } from '../../api/query.ts';
import { signedIn, useSession } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { GoTo } from '../../shell/go-to.tsx';
import { Panel } from '../../shell/panel.tsx';
import { useSearch } from '../../shell/search.ts';
import { Button } from '../../ui/button.tsx';
import { useWaitSeconds } from '../../ui/countdown.ts';
import { Field } from '../../ui/field.tsx';
import { Input, PasswordInput } from '../../ui/input.tsx';
import { Link } from '../../ui/link.tsx';
import { fieldErrors, Problem } from '../../ui/problem.tsx';
import { texts } from './texts.ts';
import { UnendedSession } from './unended-session.tsx';

export function Screen() {
  const [next] = useSearch(({ next: value }) => checkedNext(value));
  const { status } = useSession();
  const signIn = useChange('POST /v1/auth/sessions');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const wait = useWaitSeconds(signIn.error);
  if (status === 'in') return <GoTo href={next ?? paths.home} />;
  const isWrong = codeOf(signIn.error) === 'invalid_credentials';
  const errors = fieldErrors(signIn.error);
  const submit = () => {
    if (signIn.isPending || wait > 0) return;
    signIn.mutate({ body: { email, password } }, { onSuccess: signedIn });
  };
  return (
    <Panel
      title={texts.title}
      onSubmit={submit}
      foot={
        <>
          {texts.noAccount}{' '}
          <Link to={paths.signUp} search={next ? { next } : {}}>
            {texts.signUp}
          </Link>
        </>
      }
    >
      <UnendedSession />
      <Field label={texts.email} error={errors.email}>
        {(control) => (
          <Input
            {...control}
            type="email"
            name="email"
            autoComplete="username"
            autoFocus
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        )}
      </Field>
      <Field
        label={texts.password}
        aside={<Link to={paths.forgotPassword}>{texts.forgot}</Link>}
        error={isWrong ? texts.wrong : null}
      >
        {(control) => (
          <PasswordInput
            {...control}
            name="password"
            autoComplete="current-password"
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        )}
      </Field>
      {signIn.error && !isWrong && !errors.email && (
        <Problem error={signIn.error} onRetry={wait > 0 ? undefined : submit} />
      )}
      <Button
        type="submit"
        kind="primary"
        wide
        busy={signIn.isPending}
        because={wait > 0 ? texts.wait(wait) : null}
      >
        {wait > 0 ? texts.wait(wait) : texts.action}
      </Button>
    </Panel>
  );
}

const codeOf = (error: Error | null): string | null =>
  error instanceof KeyrailError ? error.code : null;
