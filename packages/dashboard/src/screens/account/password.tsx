// A new password, with the current one as proof.
import { KeyrailError } from '@keyrail/client';
import { type FormEvent, useState } from 'react';
import { useApi, useChange } from '../../api/query.ts';
import { sendToTabs } from '../../api/tabs.ts';
import { Button } from '../../ui/button.tsx';
import { useWaitSeconds } from '../../ui/countdown.ts';
import { Field } from '../../ui/field.tsx';
import { PasswordInput } from '../../ui/input.tsx';
import { fieldErrors, Problem, reasonOf } from '../../ui/problem.tsx';
import { Section } from '../../ui/section.tsx';
import { toast } from '../../ui/toast.tsx';
import styles from './account.module.css';
import { texts } from './texts.ts';

export function Password({ email }: { email: string }) {
  const change = useChange('POST /v1/auth/me/password', { refreshes: ['/v1/auth/sessions'] });
  const deployment = useApi('GET /v1/deployment', {});
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const wait = useWaitSeconds(change.error);
  const errors = fieldErrors(change.error);
  const isWrong = change.error instanceof KeyrailError && change.error.code === 'forbidden';
  const isKnown = isWrong || errors.password !== undefined || errors.current_password !== undefined;
  const minimum = deployment.data?.password_min;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (change.isPending || wait > 0) return;
    change.mutate(
      { body: { current_password: current, password } },
      {
        onSuccess: () => {
          // Tabs with another session of this user find out that it ended.
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
      <form className={styles.form} onSubmit={submit} noValidate>
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <Field
          label={texts.password.current}
          error={isWrong ? texts.password.wrong : errors.current_password}
        >
          {(control) => (
            <PasswordInput
              {...control}
              name="current"
              autoComplete="current-password"
              value={current}
              onChange={({ target }) => setCurrent(target.value)}
            />
          )}
        </Field>
        <Field
          label={texts.password.next}
          error={errors.password}
          hint={minimum === undefined ? null : texts.password.minimum(minimum)}
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
      </form>
    </Section>
  );
}
