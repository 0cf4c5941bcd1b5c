// The user's name and email address.
import { useState } from 'react';
import type { Me } from '../../api/me.ts';
import { useChange } from '../../api/query.ts';
import { sendToTabs } from '../../api/tabs.ts';
import { Section } from '../../ui/content/section.tsx';
import { State } from '../../ui/content/state.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors, Problem } from '../../ui/feedback/problem.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import styles from './account.module.css';
import { texts } from './texts.ts';

export function Profile({ user }: { user: Me['user'] }) {
  const save = useChange('PATCH /v1/auth/me', { refreshes: ['/v1/auth/me', '/v1/members'] });
  const [name, setName] = useState(user.name ?? '');
  const errors = fieldErrors(save.error);
  const submit = () => {
    const given = name.trim();
    save.mutate(
      { body: { name: given === '' ? null : given } },
      {
        onSuccess: () => {
          sendToTabs({ kind: 'person-changed' });
          toast(texts.profile.saved);
        },
      },
    );
  };
  const isChanged = name.trim() !== (user.name ?? '');
  return (
    <Section title={texts.profile.title} lead={texts.profile.lead}>
      <Form className={styles.form} onSubmit={submit}>
        <TextField
          label={texts.profile.name}
          optional
          error={errors.name}
          name="name"
          autoComplete="name"
          value={name}
          onValue={setName}
        />
        <div className={styles.email}>
          <p className={styles.label}>{texts.profile.email}</p>
          <p className={styles.line}>
            <span className={styles.address}>{user.email}</span>
            {user.email_verified ? (
              <State tone="good" shape="full">
                {texts.profile.verified}
              </State>
            ) : (
              <State tone="warn" shape="ring">
                {texts.profile.unverified}
              </State>
            )}
          </p>
        </div>
        {save.error && !errors.name && <Problem error={save.error} />}
        <div>
          <Button type="submit" kind={isChanged ? 'primary' : 'plain'} busy={save.isPending}>
            {texts.profile.action}
          </Button>
        </div>
      </Form>
    </Section>
  );
}
