// The product's logo.
import icon from '../icons/icon-live.svg';
import { en } from '../texts/en.ts';
import styles from './mark.module.css';

export const Mark = () => (
  <span className={styles.mark}>
    <img src={icon} alt="" width={24} height={24} />
    {en.product}
  </span>
);
