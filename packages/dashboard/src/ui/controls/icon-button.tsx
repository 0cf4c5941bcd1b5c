// A button that only shows an icon. Its name appears in a tooltip and is read by screen readers.
import type { ButtonHTMLAttributes, Ref } from 'react';
import { classes } from '../classes.ts';
import { Tooltip } from '../overlays/tooltip.tsx';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label'> & {
  icon: IconName;
  label: string;
  small?: boolean;
  ref?: Ref<HTMLButtonElement>;
};

export const IconButton = ({ icon, label, small = false, className, ...rest }: Props) => (
  <Tooltip text={label} isName>
    <button
      type="button"
      {...rest}
      className={classes(styles.icon, small && styles.iconSmall, className)}
      aria-label={label}
    >
      <Icon name={icon} />
    </button>
  </Tooltip>
);
