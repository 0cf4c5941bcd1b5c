// The account menu: account, theme, system status, sign out.
import { useState } from 'react';
import { useMe } from '../api/me.ts';
import { useSession } from '../api/session.ts';
import { signOut } from '../api/sign-out.ts';
import { paths } from '../paths.ts';
import { navigate } from '../router/location.ts';
import { en } from '../texts/en.ts';
import { chooseTheme, storedTheme, themes } from '../theme.ts';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/controls/icon.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import styles from './account-menu.module.css';

type Props = { placement: 'top-start' | 'bottom-end'; compact?: boolean };

export function AccountMenu({ placement, compact = false }: Props) {
  const state = useSession();
  const me = useMe();
  const [theme, setTheme] = useState(storedTheme);
  const email = 'session' in state ? state.session.email : '';
  const name = me.data?.user.name ?? email;
  const go = (to: string) => void navigate(to);
  const themeItems = themes.map((one) => ({
    label: en.account.themes[one],
    icon: one,
    checked: theme === one,
    onSelect: () => {
      chooseTheme(one);
      setTheme(one);
    },
  }));
  const { settings, system, reference } = en.account;
  const pages = [
    { label: settings, icon: 'account', onSelect: () => go(paths.account) },
    { label: system, icon: 'system', onSelect: () => go(paths.system) },
  ] as const;
  const docs = { label: reference, icon: 'external', onSelect: () => openReference() } as const;
  const leave = {
    label: en.account.signOut,
    icon: 'signOut',
    onSelect: () => void signOut(),
  } as const;
  return (
    <Menu
      label={en.account.label(email)}
      placement={placement}
      groups={[[...pages, docs], themeItems, [leave]]}
      button={
        <button
          type="button"
          className={classes(styles.button, compact && styles.compact)}
          aria-label={compact ? en.account.label(email) : undefined}
        >
          <span
            className={styles.initial}
            data-initial={name.slice(0, 1).toUpperCase()}
            aria-hidden="true"
          />
          {!compact && <span className="unseen">{en.account.settings} </span>}
          <span className={styles.name} hidden={compact}>
            {name}
          </span>
          <Icon name={compact ? 'down' : 'switcher'} size={14} />
        </button>
      }
    />
  );
}

const openReference = () => window.open('/docs', '_blank', 'noopener');
