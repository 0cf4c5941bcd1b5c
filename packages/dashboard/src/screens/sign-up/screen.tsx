// Signs the user up. The result is the same whether or not the account exists, except that an
// existing account's password signs the user in.
import { type ReactNode, useState } from 'react';
import { client } from '../../api/client.ts';
import { checkedNext } from '../../api/next.ts';
import { useChange } from '../../api/query.ts';
import { signedIn, useSession } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/use-search.ts';
import { CredentialForm, MailSent, NewPasswordField } from '../../shell/credential-form.tsx';
import { GoTo } from '../../shell/go-to.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { EmailField, TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { texts } from './texts.ts';

export function Screen() {
  const [next] = useSearch(({ next: value }) => checkedNext(value));
  const { status } = useSession();
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (status === 'in') return <GoTo href={next ?? paths.home} />;
  const toSignIn = (
    <Link to={paths.signIn} search={next ? { next } : {}}>
      {texts.signIn}
    </Link>
  );
  return sentTo === null ? (
    <SignUp onSent={setSentTo} foot={toSignIn} />
  ) : (
    <MailSent
      title={texts.mailTitle}
      lead={texts.mailText(sentTo)}
      foot={toSignIn}
      inFiles={texts.mailFiles}
    />
  );
}

type Props = { onSent(email: string): void; foot: ReactNode };

function SignUp({ onSent, foot }: Props) {
  const signUp = useChange('POST /v1/auth/users');
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const errors = fieldErrors(signUp.error);
  const submit = () => {
    const named = name.trim() === '' ? {} : { name: name.trim() };
    signUp.mutate(
      { body: { email, password, ...named } },
      {
        onSuccess: async () => {
          const session = await client
            .call('POST /v1/auth/sessions', { body: { email, password } })
            .catch(() => null);
          if (!session) return onSent(email);
          signedIn(session);
        },
      },
    );
  };
  return (
    <CredentialForm
      title={texts.title}
      action={texts.action}
      change={signUp}
      isAtField={Object.keys(errors).length > 0}
      onSubmit={submit}
      foot={
        <>
          {texts.hasAccount} {foot}
        </>
      }
    >
      <TextField
        label={texts.name}
        optional
        error={errors.name}
        name="name"
        autoComplete="name"
        autoFocus
        value={name}
        onValue={setName}
      />
      <EmailField label={texts.email} error={errors.email} value={email} onValue={setEmail} />
      <NewPasswordField
        label={texts.password}
        error={errors.password}
        minimum={texts.minimum}
        value={password}
        onValue={setPassword}
      />
    </CredentialForm>
  );
}
