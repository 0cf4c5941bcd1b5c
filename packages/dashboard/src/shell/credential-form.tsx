// A form in the middle of the page for an email address, a password or both. Errors that aren't
// about a single field are shown above the submit button.
import type { ComponentProps, ReactNode } from 'react';
import { useApi } from '../api/query.ts';
import { Button } from '../ui/controls/button.tsx';
import { PasswordField } from '../ui/controls/text-field.tsx';
import { Problem } from '../ui/feedback/problem.tsx';
import { Panel } from './panel.tsx';

type Props = {
  title: string;
  lead?: string;
  foot: ReactNode;
  /** The button that submits the form. */
  action: string;
  change: { isPending: boolean; error: Error | null };
  /** True if a field already shows the error. */
  isAtField: boolean;
  /** True if the form can safely be submitted again. */
  repeats?: boolean;
  /** Why the form can't be submitted now. Shown next to the button. */
  wait?: string | null;
  onSubmit(): void;
  children: ReactNode;
};

export function CredentialForm({ action, change, isAtField, onSubmit, children, ...rest }: Props) {
  const { repeats = false, wait = null, ...panel } = rest;
  const { isPending, error } = change;
  const submit = () => {
    if (!isPending && wait === null) onSubmit();
  };
  return (
    <Panel {...panel} onSubmit={submit}>
      {children}
      {error && !isAtField && (
        <Problem error={error} onRetry={repeats && wait === null ? submit : undefined} />
      )}
      <Button type="submit" kind="primary" wide busy={isPending} because={wait}>
        {wait ?? action}
      </Button>
    </Panel>
  );
}

type NewPasswordProps = Omit<ComponentProps<typeof PasswordField>, 'kind' | 'hint'> & {
  minimum(characters: number): string;
};

export function NewPasswordField({ minimum, ...field }: NewPasswordProps) {
  const deployment = useApi('GET /v1/deployment', {});
  const characters = deployment.data?.password_min;
  const hint = characters === undefined ? null : minimum(characters);
  return <PasswordField {...field} kind="new" hint={hint} />;
}

/**
 * Shown after an email has been sent. If no mail server is set up, the email has been saved as a
 * file instead.
 */
export function MailSent({ title, lead, foot, inFiles }: MailSentProps) {
  const deployment = useApi('GET /v1/deployment', {});
  return (
    <Panel title={title} lead={lead} foot={foot}>
      {deployment.data?.mail === 'file' && <p>{inFiles}</p>}
    </Panel>
  );
}

type MailSentProps = { title: string; lead: string; foot: ReactNode; inFiles: string };
