/**
 * The parent for popups: an open dialog, because everything outside it is inert, or else the page.
 */
export const popupHome = (element: Element): HTMLElement =>
  element.closest('dialog') ?? document.body;
