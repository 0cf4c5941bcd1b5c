// A form whose submission is handled by a script, so the page doesn't reload. The browser's own
// validation is off, because fields show their own errors.
import type { ComponentProps } from 'react';

type Props = Omit<ComponentProps<'form'>, 'onSubmit'> & { onSubmit(): void };

export const Form = ({ onSubmit, ...form }: Props) => (
  <form
    {...form}
    noValidate
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  />
);
