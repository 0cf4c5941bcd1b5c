// Signs the user in. The message is the same whether the email address or the password is wrong.
import { KeyrailError } from '@keyrail/client';
import { useState } from 'react';
import { checkedNext } from '../../api/next.ts';
import { useChange } from '../../api/query.ts';
import { signedIn, useSession } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/use-search.ts';
import { CredentialForm } from '../../shell/credential-form.tsx';
import { GoTo } from '../../shell/go-to.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { EmailField, PasswordField } from '../../ui/controls/text-field.tsx';
import { useWaitSeconds } from '../../ui/feedback/countdown.ts';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
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
  return (
    <CredentialForm
      title={texts.title}
      action={texts.action}
      change={signIn}
      isAtField={isWrong || errors.email !== undefined}
      repeats
      wait={wait > 0 ? texts.wait(wait) : null}
      onSubmit={() => signIn.mutate({ body: { email, password } }, { onSuccess: signedIn })}
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
      <EmailField
        label={texts.email}
        error={errors.email}
        autoFocus
        value={email}
        onValue={setEmail}
      />
      <PasswordField
        kind="current"
        label={texts.password}
        aside={<Link to={paths.forgotPassword}>{texts.forgot}</Link>}
        error={isWrong ? texts.wrong : null}
        value={password}
        onValue={setPassword}
      />
    </CredentialForm>
  );
}

const codeOf = (error: Error | null): string | null =>
  error instanceof KeyrailError ? error.code : null;
