// The browser's own dialog. It keeps focus inside, makes the page behind it inert, and returns
// focus to the element that opened it. Pressing Esc in it has no effect on the page, so the page's
// own dialogs stay open.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { IconButton } from './button.tsx';
import { useWidget } from './context.ts';

type Props = {
  title: string;
  children: ComponentChildren;
  /** Buttons at the bottom, with the primary one last. */
  actions: ComponentChildren;
  /** Called when the user presses Esc, or clicks the close button or the backdrop. */
  onClose(): void;
  /** If set, the dialog's content is a form, so that Enter submits it. */
  onSubmit?: () => void;
  isWide?: boolean;
};

export function Dialog(props: Props) {
  const { title, children, actions, onClose, onSubmit, isWide = false } = props;
  const { words } = useWidget();
  const id = useId();
  const dialog = useModal(onClose);
  const content = (
    <>
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={words['action.close']} onClick={onClose} />
      </header>
      <div class="dialog-body">{children}</div>
      <footer class="dialog-foot">{actions}</footer>
    </>
  );
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does what a click on the backdrop does
    <dialog
      ref={dialog}
      part="dialog"
      class={isWide ? 'wide' : ''}
      aria-labelledby={id}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      {onSubmit ? (
        <form class="dialog-frame" onSubmit={submit} noValidate>
          {content}
        </form>
      ) : (
        <div class="dialog-frame">{content}</div>
      )}
    </dialog>
  );
}

function useModal(onClose: () => void) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    const root = element.getRootNode();
    const opener = root instanceof ShadowRoot ? root.activeElement : null;
    element.showModal();
    element.querySelector<HTMLElement>('[data-first]')?.focus();
    const cancel = (event: Event) => {
      event.preventDefault();
      close.current();
    };
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      close.current();
    };
    element.addEventListener('cancel', cancel);
    element.addEventListener('keydown', press);
    return () => {
      element.removeEventListener('cancel', cancel);
      element.removeEventListener('keydown', press);
      element.close();
      giveBack(opener, root);
    };
  }, []);
  return dialog;
}

/**
 * Moves focus to the title if the change has removed the element that opened the dialog. If the
 * page opened the dialog, the browser has already returned focus.
 */
function giveBack(opener: Element | null, root: Node): void {
  if (opener === null) return;
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  else if (root instanceof ShadowRoot) root.querySelector<HTMLElement>('[data-title]')?.focus();
}
