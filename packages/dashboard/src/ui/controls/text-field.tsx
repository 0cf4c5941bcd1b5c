// One line of text, or a password, with its label.
import type { ComponentProps } from 'react';
import { Field } from './field.tsx';
import { Input, PasswordInput } from './input.tsx';

type FieldProps = Omit<ComponentProps<typeof Field>, 'children'> & {
  value: string;
  onValue(value: string): void;
};

type TextProps = FieldProps & Omit<ComponentProps<typeof Input>, 'value' | 'onChange' | 'id'>;

export const TextField = ({
  label,
  hint,
  error,
  optional,
  aside,
  onValue,
  ...input
}: TextProps) => (
  <Field label={label} hint={hint} error={error} optional={optional} aside={aside}>
    {(control) => (
      <Input {...input} {...control} onChange={({ target }) => onValue(target.value)} />
    )}
  </Field>
);

type PasswordProps = FieldProps & {
  /**
   * Tells password managers whether to fill in the current password or to offer to save a new one.
   */
  kind: 'current' | 'new';
  name?: string;
  autoFocus?: boolean;
};

export const PasswordField = ({ kind, name = 'password', ...props }: PasswordProps) => {
  const { value, onValue, autoFocus = false, ...field } = props;
  return (
    <Field {...field}>
      {(control) => (
        <PasswordInput
          {...control}
          name={name}
          autoComplete={`${kind}-password`}
          autoFocus={autoFocus}
          value={value}
          onChange={({ target }) => onValue(target.value)}
        />
      )}
    </Field>
  );
};

type EmailProps = FieldProps & { autoFocus?: boolean };

/** The email address a user signs in with. */
export const EmailField = (props: EmailProps) => (
  <TextField {...props} type="email" name="email" autoComplete="username" />
);

/** A hidden field that tells password managers which account the password belongs to. */
export const KnownEmail = ({ email }: { email: string }) => (
  <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
);
