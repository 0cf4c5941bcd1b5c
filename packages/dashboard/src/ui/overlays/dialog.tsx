// The browser's own dialog. It keeps focus inside, makes the page behind it inert, and returns
// focus when it closes. A sheet is a dialog at the side. On narrow screens, both take up the full
// height.
import { type ReactNode, useId, useRef } from 'react';
import { en } from '../../texts/en.ts';
import { classes } from '../classes.ts';
import { Form } from '../controls/form.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import styles from './dialog.module.css';
import { useModal } from './modal.ts';

type Props = {
  title: ReactNode;
  children: ReactNode;
  /** Buttons at the bottom, with the primary one last. */
  actions?: ReactNode;
  /**
   * Called when the user presses Esc, or clicks the close button or the backdrop. If it is missing,
   * the user can't close the dialog.
   */
  onClose?: (() => void) | undefined;
  /** If set, the dialog's content is a form, so that Enter submits it. */
  onSubmit?: (() => void) | undefined;
  kind?: 'dialog' | 'sheet' | 'wide';
};

/** A dialog that is open while it is mounted. */
export function Dialog(props: Props) {
  const { title, children, actions, onClose, onSubmit, kind = 'dialog' } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useModal(dialog, onClose);
  const content = (
    <>
      <header className={styles.head}>
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {onClose && <IconButton icon="close" label={en.close} onClick={onClose} />}
      </header>
      <div className={styles.body}>{children}</div>
      {actions && <footer className={styles.foot}>{actions}</footer>}
    </>
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does what a click on the backdrop does
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className={classes(styles.dialog, styles[kind])}
      onClick={({ target }) => target === dialog.current && onClose?.()}
    >
      {onSubmit ? (
        <Form className={styles.frame} onSubmit={onSubmit}>
          {content}
        </Form>
      ) : (
        <div className={styles.frame}>{content}</div>
      )}
    </dialog>
  );
}

export const Sheet = (props: Omit<Props, 'kind'>) => <Dialog {...props} kind="sheet" />;
