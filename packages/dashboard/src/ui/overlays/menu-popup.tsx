// The open menu.
import * as Ariakit from '@ariakit/react';
import { Fragment, type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { classes } from '../classes.ts';
import { Icon, type IconName } from '../controls/icon.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import inputStyles from '../controls/input.module.css';
import { popupHome } from '../controls/popup-home.ts';
import styles from './menu.module.css';

export type MenuItem = {
  /** Only needed if several entries can have the same label. */
  id?: string;
  label: string;
  icon?: IconName;
  danger?: boolean;
  checked?: boolean;
  note?: ReactNode;
  because?: string | null;
  onSelect(): void;
};

export type MenuProps = {
  /** The name of the menu, such as "Actions for Backend". */
  label: string;
  /** Groups are separated by lines. */
  groups: readonly (readonly MenuItem[])[];
  /** The button that opens the menu. The default is three dots. */
  button?: ReactElement;
  placement?: 'bottom-start' | 'bottom-end' | 'top-start';
  /** The label of a search field that filters the entries in the first group. */
  search?: string | undefined;
};

type PopupProps = MenuProps & {
  /** True if the user pressed the button before the library had loaded. */
  opensAtOnce: boolean;
};

export function MenuPopup(props: PopupProps) {
  const { label, groups, button, placement = 'bottom-end', search, opensAtOnce } = props;
  const [text, setText] = useState('');
  const shown = matching(groups, text).filter((group) => group.length > 0);
  const opener = useRef<HTMLButtonElement>(null);
  const isOpened = useRef(false);
  useEffect(() => {
    if (!opensAtOnce || isOpened.current) return;
    isOpened.current = true;
    // This button has just replaced the placeholder that the user pressed, so repeat the press
    // here.
    opener.current?.focus();
    opener.current?.click();
  }, [opensAtOnce]);
  const menu = (
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
        {search ? <Found search={search} groups={shown} /> : <Groups groups={shown} />}
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  );
  if (!search) return menu;
  return (
    <Ariakit.ComboboxProvider resetValueOnHide value={text} setValue={setText}>
      {menu}
    </Ariakit.ComboboxProvider>
  );
}

/** Filters the first group by label. The other groups stay as they are. */
function matching(groups: MenuProps['groups'], text: string): MenuProps['groups'] {
  const wanted = text.trim().toLowerCase();
  return groups.map((group, at) =>
    at > 0 ? group : group.filter(({ label }) => label.toLowerCase().includes(wanted)),
  );
}

const Groups = ({ groups }: Pick<MenuProps, 'groups'>) =>
  groups.map((group, at) => (
    <Fragment key={group[0]?.label}>
      {at > 0 && <Ariakit.MenuSeparator className={styles.line} />}
      {group.map((item) => (
        <MenuRow key={item.id ?? item.label} item={item} />
      ))}
    </Fragment>
  ));

const Found = ({ search, groups }: { search: string } & Pick<MenuProps, 'groups'>) => (
  <>
    <Ariakit.Combobox
      autoSelect
      className={classes(inputStyles.input, styles.search)}
      aria-label={search}
      placeholder={search}
      spellCheck={false}
    />
    <Ariakit.ComboboxList aria-label={search}>
      {groups.map((group) => (
        <Ariakit.ComboboxGroup key={group[0]?.label} className={styles.group}>
          {group.map((item) => (
            <FoundRow key={item.id ?? item.label} item={item} />
          ))}
        </Ariakit.ComboboxGroup>
      ))}
    </Ariakit.ComboboxList>
  </>
);

function FoundRow({ item }: { item: MenuItem }) {
  const menu = Ariakit.useMenuContext();
  return (
    <Ariakit.ComboboxItem
      className={classes(styles.item, item.danger && styles.danger)}
      focusOnHover
      setValueOnClick={false}
      aria-current={item.checked || undefined}
      onClick={() => {
        menu?.hideAll();
        item.onSelect();
      }}
    >
      <RowContent item={item} />
    </Ariakit.ComboboxItem>
  );
}

function MenuRow({ item }: { item: MenuItem }) {
  return (
    <Ariakit.MenuItem
      className={classes(styles.item, item.danger && styles.danger)}
      disabled={typeof item.because === 'string'}
      accessibleWhenDisabled
      aria-current={item.checked || undefined}
      onClick={item.onSelect}
    >
      <RowContent item={item} />
    </Ariakit.MenuItem>
  );
}

const RowContent = ({ item }: { item: MenuItem }) => (
  <>
    {item.icon && <Icon name={item.icon} />}
    <span className={styles.label}>
      {item.label}
      {(item.because ?? item.note) && <small>{item.because ?? item.note}</small>}
    </span>
    {item.checked && <Icon name="check" />}
  </>
);
