// Buttons, and links that look like buttons. A disabled button says why it is disabled.
import { type ButtonHTMLAttributes, type ReactNode, type Ref, useId } from 'react';
import { classes } from '../classes.ts';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';
import { Link } from './link.tsx';

type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

type Look = { kind?: ButtonKind; icon?: IconName; small?: boolean; wide?: boolean };

type Props = ButtonHTMLAttributes<HTMLButtonElement> &
  Look & {
    /** Shows that the action is running. In the meantime, the button ignores clicks. */
    busy?: boolean;
    /**
     * Why the button is disabled. A disabled button stays in the tab order, so that screen readers
     * announce the reason.
     */
    because?: string | null | undefined;
    ref?: Ref<HTMLButtonElement>;
  };

export function Button({
  kind = 'plain',
  icon,
  small = false,
  wide = false,
  busy = false,
  because = null,
  children,
  className,
  onClick,
  ...rest
}: Props) {
  const reasonId = useId();
  const isIdle = busy || because !== null;
  return (
    <>
      <button
        type="button"
        {...rest}
        className={classes(lookOf({ kind, small, wide }), className)}
        data-kind={kind}
        aria-disabled={isIdle || undefined}
        aria-busy={busy || undefined}
        aria-describedby={because === null ? rest['aria-describedby'] : reasonId}
        title={because ?? rest.title}
        onClick={isIdle ? (event) => event.preventDefault() : onClick}
      >
        {busy ? <span className={styles.spinner} /> : icon && <Icon name={icon} />}
        {children}
      </button>
      {because !== null && (
        <span id={reasonId} className="unseen">
          {because}
        </span>
      )}
    </>
  );
}

const lookOf = ({ kind = 'plain', small = false, wide = false }: Look): string =>
  classes(styles.button, styles[kind], small && styles.small, wide && styles.wide);

type LinkProps = Look & {
  to: string;
  search?: Readonly<Record<string, string>>;
  /** If true, the keyboard shortcut `c` opens this link. */
  creates?: boolean;
  children: ReactNode;
};

export function LinkButton({ to, search = {}, creates, icon, children, ...look }: LinkProps) {
  const create = creates ? { 'data-create': true } : {};
  return (
    <Link to={to} search={search} {...create} data-kind={look.kind} className={lookOf(look)}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}
