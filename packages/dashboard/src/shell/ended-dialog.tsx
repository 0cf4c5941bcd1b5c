// Covers the page with a sign-in dialog when the session has ended, so that the same user can
// continue.
import { KeyrailError } from '@keyrail/client';
import { useState } from 'react';
import { useChange } from '../api/query.ts';
import { signedIn, signedOut } from '../api/session.ts';
import { ended } from '../texts/ended.ts';
import { Button } from '../ui/controls/button.tsx';
import { KnownEmail, PasswordField } from '../ui/controls/text-field.tsx';
import { Problem } from '../ui/feedback/problem.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';

export function EndedDialog({ email }: { email: string }) {
  const [password, setPassword] = useState('');
  const signIn = useChange('POST /v1/auth/sessions');
  const { error, isPending } = signIn;
  const isWrong = error instanceof KeyrailError && error.code === 'invalid_credentials';
  const submit = () => signIn.mutate({ body: { email, password } }, { onSuccess: signedIn });
  return (
    <Dialog
      title={ended.title}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={signedOut}>{ended.other}</Button>
          <Button type="submit" kind="primary" busy={isPending}>
            {ended.action}
          </Button>
        </>
      }
    >
      <p>{ended.text(email)}</p>
      <KnownEmail email={email} />
      <PasswordField kind="current" label={ended.password} value={password} onValue={setPassword} />
      {error && <Problem error={error} onRetry={isWrong ? undefined : submit} />}
    </Dialog>
  );
}
