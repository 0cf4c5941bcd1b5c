// Signing up. The result is the same for every email address, but an account's own password signs
// in.
import { type ReactNode, useState } from 'react';
import { client } from '../../api/client.ts';
import { checkedNext } from '../../api/next.ts';
import { useApi, useChange } from '../../api/query.ts';
import { signedIn, useSession } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { GoTo } from '../../shell/go-to.tsx';
import { Panel } from '../../shell/panel.tsx';
import { useSearch } from '../../shell/search.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input, PasswordInput } from '../../ui/input.tsx';
import { Link } from '../../ui/link.tsx';
import { fieldErrors, Problem } from '../../ui/problem.tsx';
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
    <CheckMail email={sentTo} foot={toSignIn} />
  );
}

type Props = { onSent(email: string): void; foot: ReactNode };

function SignUp({ onSent, foot }: Props) {
  const deployment = useApi('GET /v1/deployment', {});
  const signUp = useChange('POST /v1/auth/users');
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const errors = fieldErrors(signUp.error);
  const minimum = deployment.data?.password_min;
  const submit = () => {
    if (signUp.isPending) return;
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
    <Panel
      title={texts.title}
      onSubmit={submit}
      foot={
        <>
          {texts.hasAccount} {foot}
        </>
      }
    >
      <Field label={texts.name} optional error={errors.name}>
        {(control) => (
          <Input
            {...control}
            name="name"
            autoComplete="name"
            autoFocus
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Field label={texts.email} error={errors.email}>
        {(control) => (
          <Input
            {...control}
            type="email"
            name="email"
            autoComplete="username"
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        )}
      </Field>
      <Field
        label={texts.password}
        error={errors.password}
        hint={minimum === undefined ? null : texts.minimum(minimum)}
      >
        {(control) => (
          <PasswordInput
            {...control}
            name="password"
            autoComplete="new-password"
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        )}
      </Field>
      {signUp.error && Object.keys(errors).length === 0 && <Problem error={signUp.error} />}
      <Button type="submit" kind="primary" wide busy={signUp.isPending}>
        {texts.action}
      </Button>
    </Panel>
  );
}

function CheckMail({ email, foot }: { email: string; foot: ReactNode }) {
  const deployment = useApi('GET /v1/deployment', {});
  return (
    <Panel title={texts.mailTitle} lead={texts.mailText(email)} foot={foot}>
      {deployment.data?.mail === 'file' && <p>{texts.mailFiles}</p>}
    </Panel>
  );
}
