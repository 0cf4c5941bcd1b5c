// Requests a password reset link. The result is the same whether or not the account exists.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { CredentialForm, MailSent } from '../../shell/credential-form.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { EmailField } from '../../ui/controls/text-field.tsx';
import { fieldErrors } from '../../ui/feedback/problem.tsx';
import { texts } from './texts.ts';

export function Screen() {
  const ask = useChange('POST /v1/auth/password_resets');
  const [email, setEmail] = useState('');
  const errors = fieldErrors(ask.error);
  const back = <Link to={paths.signIn}>{texts.back}</Link>;
  if (ask.isSuccess) {
    const lead = texts.sentText(email);
    return <MailSent title={texts.sentTitle} lead={lead} foot={back} inFiles={texts.mailFiles} />;
  }
  return (
    <CredentialForm
      title={texts.title}
      lead={texts.lead}
      foot={back}
      action={texts.action}
      change={ask}
      isAtField={errors.email !== undefined}
      repeats
      onSubmit={() => ask.mutate({ body: { email } })}
    >
      <EmailField
        label={texts.email}
        error={errors.email}
        autoFocus
        value={email}
        onValue={setEmail}
      />
    </CredentialForm>
  );
}
