// Requests a link to set a new password. The result is the same for every email address.
import { useState } from 'react';
import { useApi, useChange } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { Panel } from '../../shell/panel.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { Link } from '../../ui/link.tsx';
import { fieldErrors, Problem } from '../../ui/problem.tsx';
import { texts } from './texts.ts';

export function Screen() {
  const ask = useChange('POST /v1/auth/password_resets');
  const deployment = useApi('GET /v1/deployment', {});
  const [email, setEmail] = useState('');
  const errors = fieldErrors(ask.error);
  const submit = () => ask.isPending || ask.mutate({ body: { email } });
  const back = <Link to={paths.signIn}>{texts.back}</Link>;
  if (ask.isSuccess) {
    return (
      <Panel title={texts.sentTitle} lead={texts.sentText(email)} foot={back}>
        {deployment.data?.mail === 'file' && <p>{texts.mailFiles}</p>}
      </Panel>
    );
  }
  return (
    <Panel title={texts.title} lead={texts.lead} foot={back} onSubmit={submit}>
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
      {ask.error && !errors.email && <Problem error={ask.error} onRetry={submit} />}
      <Button type="submit" kind="primary" wide busy={ask.isPending}>
        {texts.action}
      </Button>
    </Panel>
  );
}
