/** Inside an open dialog, because everything outside of it is inert; otherwise the page. */
export const popupHome = (element: HTMLElement): HTMLElement =>
  element.closest('dialog') ?? document.body;
