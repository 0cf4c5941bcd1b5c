// Sets a new password, using the token from an emailed link. This signs the user out everywhere.
import { useState } from 'react';
import { oneTimeToken } from '../../api/one-time-token.ts';
import { useChange } from '../../api/query.ts';
import { signedOut } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { CredentialForm, NewPasswordField } from '../../shell/credential-form.tsx';
import { Panel } from '../../shell/panel.tsx';
import { LinkButton } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { texts } from './texts.ts';

export function Screen() {
  const token = oneTimeToken();
  const reset = useChange('POST /v1/auth/password_resets/consume');
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
  return (
    <CredentialForm
      title={texts.title}
      foot={another}
      action={texts.action}
      change={reset}
      isAtField={errors.password !== undefined}
      onSubmit={() => reset.mutate({ body: { token, password } }, { onSuccess: signedOut })}
    >
      <NewPasswordField
        label={texts.password}
        error={errors.password}
        minimum={texts.minimum}
        autoFocus
        value={password}
        onValue={setPassword}
      />
    </CredentialForm>
  );
}
