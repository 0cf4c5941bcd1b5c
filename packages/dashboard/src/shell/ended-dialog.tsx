// The session ended: a sign-in dialog covers the page, and the same user continues where they were.
import { KeyrailError } from '@keyrail/client';
import { useState } from 'react';
import { client } from '../api/client.ts';
import { signedIn, signedOut } from '../api/session.ts';
import { ended } from '../texts/ended.ts';
import { Button } from '../ui/controls/button.tsx';
import { KnownEmail, PasswordField } from '../ui/controls/text-field.tsx';
import { Problem } from '../ui/feedback/problem.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';

export function EndedDialog({ email }: { email: string }) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isWrong = error instanceof KeyrailError && error.code === 'invalid_credentials';
  const submit = async () => {
    setBusy(true);
    setError(null);
    try {
      signedIn(await client.call('POST /v1/auth/sessions', { body: { email, password } }));
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={ended.title}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={signedOut}>{ended.other}</Button>
          <Button type="submit" kind="primary" busy={isBusy}>
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
