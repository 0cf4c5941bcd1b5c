// Behaviour shared by all dialogs: Esc closes one layer at a time, and closing a dialog returns
// focus.
import { useEffect, useRef } from 'react';
import { controlsIn, placeOf } from './nearby.ts';

const OPEN_POPUP = '[data-popup]';

/** Without `onClose`, the user can't close the dialog. */
export function useModal(
  dialog: { readonly current: HTMLDialogElement | null },
  onClose: (() => void) | undefined,
): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    const placeToReturn = placeOf(opener());
    if (!element.open) element.showModal();
    let hadPopup = false;
    let held: Element | null = null;
    // Runs before a menu or combobox in the dialog handles the same key press, to find out whether
    // one is open.
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Tab') goRound(element, event);
      if (event.key !== 'Escape') return;
      hadPopup = isShown(element.querySelectorAll(OPEN_POPUP));
      held = document.activeElement;
    };
    const cancel = (event: Event) => {
      if (event.target !== element) return;
      event.preventDefault();
      if (!hadPopup) close.current?.();
      hadPopup = false;
    };
    // If Esc is pressed twice in a row, Chromium closes the dialog without firing a second cancel
    // event. The dialog is then opened again.
    const closed = (event: Event) => {
      if (event.target !== element || !element.isConnected) return;
      element.showModal();
      if (held instanceof HTMLElement && element.contains(held)) held.focus();
      if (!hadPopup) close.current?.();
      hadPopup = false;
    };
    addEventListener('keydown', press, true);
    element.addEventListener('cancel', cancel);
    element.addEventListener('close', closed);
    return () => {
      removeEventListener('keydown', press, true);
      element.removeEventListener('cancel', cancel);
      element.removeEventListener('close', closed);
      element.close();
      placeToReturn()?.focus({ preventScroll: true });
    };
  }, [dialog]);
}

/**
 * Keeps Tab inside the dialog by moving focus from the last control to the first, and vice versa.
 */
function goRound(dialog: HTMLDialogElement, event: KeyboardEvent): void {
  const { activeElement: active } = document;
  if (active?.closest(`${OPEN_POPUP}, dialog`) !== dialog) return;
  const controls = controlsIn(dialog).filter((one) => one.closest('dialog') === dialog);
  const [from, to] = event.shiftKey
    ? [controls[0], controls.at(-1)]
    : [controls.at(-1), controls[0]];
  const isBefore = from && active.compareDocumentPosition(from) & Node.DOCUMENT_POSITION_FOLLOWING;
  if (active !== from && !(event.shiftKey && isBefore)) return;
  event.preventDefault();
  to?.focus();
}

/**
 * The element to return focus to later: the focused element or, for an entry in a menu, the menu's
 * button, because the menu is about to close.
 */
function opener(): HTMLElement {
  const { activeElement: active, body } = document;
  const menu = active?.closest(OPEN_POPUP);
  const button = menu && document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`);
  const found = button ?? active;
  return found instanceof HTMLElement ? found : body;
}

const isShown = (popups: NodeListOf<Element>): boolean =>
  [...popups].some((popup) => popup.checkVisibility());
