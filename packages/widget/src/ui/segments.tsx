// A row of buttons for choosing one of several options.
type Props<T> = {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onValue(value: T): void;
};

export const Segments = <T extends string | number>(props: Props<T>) => (
  <fieldset class="segments" aria-label={props.label}>
    {props.options.map(({ value, label }) => (
      <button
        key={value}
        type="button"
        aria-pressed={value === props.value}
        onClick={() => props.onValue(value)}
      >
        {label}
      </button>
    ))}
  </fieldset>
);
