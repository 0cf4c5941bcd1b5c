// The sidebar on narrow screens: a sheet over the page.
import { useRef } from 'react';
import { en } from '../texts/en.ts';
import { IconButton } from '../ui/controls/icon-button.tsx';
import { useModal } from '../ui/overlays/modal.ts';
import styles from './navigation-sheet.module.css';
import { Sidebar } from './sidebar.tsx';

export function NavigationSheet({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useModal(dialog, onClose);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does what a click on the backdrop does
    <dialog
      ref={dialog}
      aria-label={en.mainNavigation}
      className={styles.sheet}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <span className={styles.close}>
        <IconButton icon="close" label={en.close} onClick={onClose} />
      </span>
      <Sidebar onGo={onClose} />
    </dialog>
  );
}
