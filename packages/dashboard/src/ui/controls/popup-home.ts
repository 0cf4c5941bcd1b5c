/**
 * Where popups are placed: inside an open dialog, because everything outside it is inert, or else
 * in the page.
 */
export const popupHome = (element: Element): HTMLElement =>
  element.closest('dialog') ?? document.body;
