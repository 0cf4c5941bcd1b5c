/**
 * The parent element for popups: the dialog they are opened from, because everything outside an
 * open dialog is inert, or otherwise the page's body.
 */
export const popupHome = (element: Element): HTMLElement =>
  element.closest('dialog') ?? document.body;
