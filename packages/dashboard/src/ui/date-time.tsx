// The platform's input for a moment, in local time. The value is an instant of the API, or null.
import type { ControlProps } from './field.tsx';
import { Input } from './input.tsx';

type Props = {
  control: ControlProps;
  value: string | null;
  min?: string;
  onValue(value: string | null): void;
};

export const DateTime = ({ control, value, min, onValue }: Props) => (
  <Input
    {...control}
    type="datetime-local"
    value={value === null ? '' : localText(value)}
    {...(min && { min: localText(min) })}
    onChange={({ target }) =>
      onValue(target.value === '' ? null : new Date(target.value).toISOString())
    }
  />
);

/** `2026-01-31T14:05`, as the input wants it. */
function localText(instant: string): string {
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
