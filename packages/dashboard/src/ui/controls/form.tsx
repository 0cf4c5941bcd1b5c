// A form submitted by a script. The page stays, and fields show their own errors.
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
