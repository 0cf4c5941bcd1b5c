/**
 * Where popups are placed: inside an open dialog, because everything outside it is inert; otherwise
 * in the page.
 */
export const popupHome = (element: Element): HTMLElement =>
  element.closest('dialog') ?? document.body;
