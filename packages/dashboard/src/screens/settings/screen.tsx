// The workspace: its name, billing email and IDs.
import type { Answer } from '@keyrail/client';
import { useState } from 'react';
import { useApi, useChange } from '../../api/query.ts';
import { sendToTabs } from '../../api/tabs.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { KeyText } from '../../ui/content/secret.tsx';
import { Section, SectionFacts } from '../../ui/content/section.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { fieldErrors, Problem } from '../../ui/feedback/problem.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import styles from './settings.module.css';
import { texts } from './texts.ts';

type Workspace = Answer<'GET /v1/workspace'>;

export function Screen() {
  const workspace = useApi('GET /v1/workspace', {});
  return (
    <Page title={texts.title}>
      <ReadOnly />
      <Loaded query={workspace} failed={texts.failed} skeleton={<SkeletonRows rows={5} />}>
        {(found) => (
          <>
            <Name workspace={found} />
            <BillingAddress workspace={found} />
            <Facts workspace={found} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Name({ workspace }: { workspace: Workspace }) {
  const { general } = texts;
  return (
    <Section title={general.title} lead={general.lead}>
      <OneField
        {...general}
        field="name"
        stored={workspace.name}
        bodyOf={(name) => ({ name: name.trim() })}
      />
    </Section>
  );
}

function BillingAddress({ workspace }: { workspace: Workspace }) {
  const { billing } = texts;
  return (
    <Section title={billing.title} lead={billing.lead}>
      <OneField
        {...billing}
        field="billing_email"
        type="email"
        stored={workspace.billing_email ?? ''}
        bodyOf={(email) => ({ billing_email: email.trim() === '' ? null : email.trim() })}
      />
    </Section>
  );
}

type OneFieldProps = {
  field: 'name' | 'billing_email';
  type?: 'text' | 'email';
  label: string;
  action: string;
  saved: string;
  none?: string;
  stored: string;
  bodyOf(text: string): { name?: string; billing_email?: string | null };
};

function OneField({ field, type = 'text', stored, bodyOf, ...says }: OneFieldProps) {
  const { mayChange } = useScope();
  const save = useChange('PATCH /v1/workspace', {
    refreshes: ['/v1/workspace', '/v1/auth/me', '/v1/audit_logs'],
  });
  const [text, setText] = useState(stored);
  const errors = fieldErrors(save.error);
  const submit = () => {
    save.mutate(
      { body: bodyOf(text) },
      {
        onSuccess: () => {
          sendToTabs({ kind: 'person-changed' });
          toast(says.saved);
        },
      },
    );
  };
  if (!mayChange) return <p className={styles.value}>{stored || says.none}</p>;
  return (
    <Form className={styles.form} onSubmit={submit}>
      <TextField
        label={says.label}
        error={errors[field]}
        optional={says.none !== undefined}
        type={type}
        name={field}
        value={text}
        onValue={setText}
      />
      {save.error && !errors[field] && <Problem error={save.error} />}
      <div>
        <Button
          type="submit"
          kind={text.trim() === stored ? 'plain' : 'primary'}
          busy={save.isPending}
        >
          {says.action}
        </Button>
      </div>
    </Form>
  );
}

function Facts({ workspace }: { workspace: Workspace }) {
  const { role } = useScope();
  const { facts } = texts;
  return (
    <Section title={facts.title} lead={facts.lead}>
      <SectionFacts
        facts={[
          { label: facts.id, value: <KeyText text={workspace.id} of={facts.id} /> },
          { label: facts.slug, value: <KeyText text={workspace.slug} of={facts.slug} /> },
          { label: facts.created, value: <Time at={workspace.created_at} /> },
          { label: facts.yourRole, value: en.roles[role] },
        ]}
      />
    </Section>
  );
}
