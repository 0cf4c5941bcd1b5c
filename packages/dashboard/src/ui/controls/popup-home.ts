/**
 * The element that popups are added to: the surrounding dialog, because everything outside an open
 * dialog is inert, or else the body of the page.
 */
export const popupHome = (element: Element): HTMLElement =>
  element.closest('dialog') ?? document.body;
