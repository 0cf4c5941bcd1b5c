// Changes the password. The current password is required.
import { KeyrailError } from '@keyrail/client';
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { sendToTabs } from '../../api/tabs.ts';
import { NewPasswordField } from '../../shell/credential-form.tsx';
import { Section } from '../../ui/content/section.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { KnownEmail, PasswordField } from '../../ui/controls/text-field.tsx';
import { useWaitSeconds } from '../../ui/feedback/countdown.ts';
import { fieldErrors, Problem, reasonOf } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import styles from './account.module.css';
import { texts } from './texts.ts';

export function Password({ email }: { email: string }) {
  const change = useChange('POST /v1/auth/me/password', { refreshes: ['/v1/auth/sessions'] });
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const wait = useWaitSeconds(change.error);
  const errors = fieldErrors(change.error);
  const isWrong = change.error instanceof KeyrailError && change.error.code === 'forbidden';
  const isKnown = isWrong || errors.password !== undefined || errors.current_password !== undefined;
  const submit = () => {
    if (wait > 0) return;
    change.mutate(
      { body: { current_password: current, password } },
      {
        onSuccess: () => {
          // Changing the password has ended the user's other sessions. Make other tabs reload the
          // user's details, so that tabs with an ended session notice.
          sendToTabs({ kind: 'person-changed' });
          setCurrent('');
          setPassword('');
          toast(texts.password.changed);
        },
      },
    );
  };
  return (
    <Section title={texts.password.title} lead={texts.password.lead}>
      <Form className={styles.form} onSubmit={submit}>
        <KnownEmail email={email} />
        <PasswordField
          kind="current"
          label={texts.password.current}
          error={isWrong ? texts.password.wrong : errors.current_password}
          name="current"
          value={current}
          onValue={setCurrent}
        />
        <NewPasswordField
          label={texts.password.next}
          error={errors.password}
          minimum={texts.password.minimum}
          value={password}
          onValue={setPassword}
        />
        {change.error && !isKnown && <Problem error={change.error} />}
        <div>
          <Button
            type="submit"
            busy={change.isPending}
            because={wait > 0 && change.error ? reasonOf(change.error) : null}
          >
            {texts.password.action}
          </Button>
        </div>
      </Form>
    </Section>
  );
}
