// The menu itself.
import * as Ariakit from '@ariakit/react';
import { Fragment, type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import styles from './menu.module.css';
import { popupHome } from './popup-home.ts';

export type MenuItem = {
  label: string;
  icon?: IconName;
  danger?: boolean;
  checked?: boolean;
  note?: ReactNode;
  because?: string | null;
  onSelect(): void;
};

export type MenuProps = {
  /** The name of the menu: "Actions for Backend". */
  label: string;
  /** Groups are separated by lines. */
  groups: readonly (readonly MenuItem[])[];
  /** Opens the menu; three dots if left out. */
  button?: ReactElement;
  placement?: 'bottom-start' | 'bottom-end' | 'top-start';
};

type PopupProps = MenuProps & {
  /** True if a press of the button led here. */
  opensAtOnce: boolean;
};

export function MenuPopup(props: PopupProps) {
  const { label, groups, button, placement = 'bottom-end', opensAtOnce } = props;
  const shown = groups.filter((group) => group.length > 0);
  const opener = useRef<HTMLButtonElement>(null);
  const isOpened = useRef(false);
  useEffect(() => {
    if (!opensAtOnce || isOpened.current) return;
    isOpened.current = true;
    // This button took the place of the one that was pressed.
    opener.current?.focus();
    opener.current?.click();
  }, [opensAtOnce]);
  return (
    <Ariakit.MenuProvider placement={placement}>
      <Ariakit.MenuButton
        ref={opener}
        render={button ?? <IconButton icon="more" label={label} />}
      />
      <Ariakit.Menu
        className={styles.menu}
        data-popup
        aria-label={label}
        gutter={4}
        portal
        portalElement={popupHome}
        fixed
        unmountOnHide
      >
        {shown.map((group, at) => (
          <Fragment key={group[0]?.label}>
            {at > 0 && <Ariakit.MenuSeparator className={styles.line} />}
            {group.map((item) => (
              <MenuRow key={item.label} item={item} />
            ))}
          </Fragment>
        ))}
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  );
}

function MenuRow({ item }: { item: MenuItem }) {
  const isOff = typeof item.because === 'string';
  return (
    <Ariakit.MenuItem
      className={classes(styles.item, item.danger && styles.danger)}
      disabled={isOff}
      accessibleWhenDisabled
      aria-current={item.checked || undefined}
      onClick={item.onSelect}
    >
      {item.icon && <Icon name={item.icon} />}
      <span className={styles.label}>
        {item.label}
        {(isOff || item.note) && <small>{item.because ?? item.note}</small>}
      </span>
      {item.checked && <Icon name="check" />}
    </Ariakit.MenuItem>
  );
}
