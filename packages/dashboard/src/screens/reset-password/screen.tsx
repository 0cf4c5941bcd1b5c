// Sets a new password with the token from an emailed link. This signs the user out everywhere.
import { useState } from 'react';
import { oneTimeToken } from '../../api/one-time-token.ts';
import { useApi, useChange } from '../../api/query.ts';
import { signedOut } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { Panel } from '../../shell/panel.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { PasswordInput } from '../../ui/input.tsx';
import { Link } from '../../ui/link.tsx';
import { fieldErrors, Problem } from '../../ui/problem.tsx';
import { texts } from './texts.ts';

export function Screen() {
  const token = oneTimeToken();
  const reset = useChange('POST /v1/auth/password_resets/consume');
  const deployment = useApi('GET /v1/deployment', {});
  const [password, setPassword] = useState('');
  const another = <Link to={paths.forgotPassword}>{texts.another}</Link>;
  if (token === null) return <Panel title={texts.failed} lead={texts.noToken} foot={another} />;
  if (reset.isSuccess) {
    return (
      <Panel title={texts.done} lead={texts.doneText}>
        <LinkButton kind="primary" wide to={paths.signIn}>
          {texts.signIn}
        </LinkButton>
      </Panel>
    );
  }
  const errors = fieldErrors(reset.error);
  const minimum = deployment.data?.password_min;
  const submit = () => {
    if (!reset.isPending) reset.mutate({ body: { token, password } }, { onSuccess: signedOut });
  };
  return (
    <Panel title={texts.title} onSubmit={submit} foot={another}>
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
            autoFocus
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        )}
      </Field>
      {reset.error && !errors.password && <Problem error={reset.error} />}
      <Button type="submit" kind="primary" wide busy={reset.isPending}>
        {texts.action}
      </Button>
    </Panel>
  );
}
