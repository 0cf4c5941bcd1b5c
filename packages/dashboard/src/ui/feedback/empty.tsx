// Shown instead of an empty list: what the list is for, one action and one link.
import { type ReactNode, useEffect } from 'react';
import { en } from '../../texts/en.ts';
import { Icon, type IconName } from '../controls/icon.tsx';
import { announce } from './announce.tsx';
import styles from './empty.module.css';

type Props = {
  icon: IconName;
  title: string;
  children: ReactNode;
  action?: ReactNode;
  link?: ReactNode;
  /** The heading's level. Use 1 if the page has no other heading. */
  rank?: 1 | 2;
  /** True if this replaces a list. Screen readers then announce that the list is empty. */
  isList?: boolean;
};

export function Empty({ icon, title, children, action, link, rank = 2, isList = true }: Props) {
  const Heading = rank === 1 ? 'h1' : 'h2';
  // The announcement is worded differently from the heading, so that screen readers don't say the
  // same thing twice.
  useEffect(() => (isList ? announce(en.nothing) : undefined), [isList]);
  return (
    <div className={styles.empty}>
      <span className={styles.icon}>
        <Icon name={icon} size={20} />
      </span>
      <Heading tabIndex={rank === 1 ? -1 : undefined}>{title}</Heading>
      <p>{children}</p>
      {(action || link) && (
        <div className={styles.actions}>
          {action}
          {link}
        </div>
      )}
    </div>
  );
}
