/**
 * The parent element for popups. In an open dialog, it is the dialog, because everything outside is
 * inert. Otherwise, it is the page's body.
 */
export const popupHome = (element: Element): HTMLElement =>
  element.closest('dialog') ?? document.body;
