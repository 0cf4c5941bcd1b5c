// What every dialog does: it opens, Esc closes one thing at a time, and the focus goes back.
import { useEffect, useRef } from 'react';

const OPEN_POPUP = '[data-popup]';

/** Without `onClose` the dialog cannot be dismissed. */
export function useModal(
  dialog: { readonly current: HTMLDialogElement | null },
  onClose: (() => void) | undefined,
): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    const opener = document.activeElement;
    if (!element.open) element.showModal();
    let hadPopup = false;
    // Before the menu or combobox inside the dialog closes itself with the same key.
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') hadPopup = isShown(element.querySelectorAll(OPEN_POPUP));
    };
    const cancel = (event: Event) => {
      if (event.target !== element) return;
      event.preventDefault();
      if (!hadPopup) close.current?.();
      hadPopup = false;
    };
    addEventListener('keydown', press, true);
    element.addEventListener('cancel', cancel);
    return () => {
      removeEventListener('keydown', press, true);
      element.removeEventListener('cancel', cancel);
      element.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [dialog]);
}

const isShown = (popups: NodeListOf<Element>): boolean =>
  [...popups].some((popup) => popup.checkVisibility());
