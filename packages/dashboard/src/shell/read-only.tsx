// Explains to members why the page has no controls for making changes.
import { en } from '../texts/en.ts';
import { Icon } from '../ui/controls/icon.tsx';
import styles from './read-only.module.css';
import { useScope } from './scope.ts';

export const ReadOnly = () =>
  useScope().mayChange ? null : (
    <p className={styles.line}>
      <Icon name="eye" />
      {en.notAllowed.readOnly}
    </p>
  );
