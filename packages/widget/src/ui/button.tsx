// Buttons. A busy button never gets the attribute `disabled`, because it would lose focus.
import type { ComponentChildren } from 'preact';
import { useWidget } from './context.ts';
import { Icon, type IconName } from './icons.tsx';

type Props = {
  children: ComponentChildren;
  kind?: 'plain' | 'primary' | 'danger';
  icon?: IconName;
  type?: 'button' | 'submit';
  busy?: boolean;
  onClick?: () => void;
  /** If true, this button receives focus when its dialog opens. */
  isFirst?: boolean;
};

export function Button(props: Props) {
  const { children, kind = 'plain', icon, type = 'button', busy = false, onClick } = props;
  const { words } = useWidget();
  const parts = kind === 'primary' || kind === 'danger' ? `button ${kind}` : 'button';
  return (
    <button
      type={type}
      part={parts}
      class={`button ${kind}`}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      data-first={props.isFirst || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.();
      }}
    >
      {busy ? <span class="spinner" role="img" aria-label={words['action.busy']} /> : null}
      {icon && !busy ? <Icon name={icon} /> : null}
      {children}
    </button>
  );
}

type IconProps = { icon: IconName; label: string; onClick(): void };

export const IconButton = ({ icon, label, onClick }: IconProps) => (
  <button type="button" part="button" class="button bare" aria-label={label} onClick={onClick}>
    <Icon name={icon} />
  </button>
);
