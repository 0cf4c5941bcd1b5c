// Copies text. The clipboard API isn't available over plain HTTP, so an older method is tried as
// well.
import { popupHome } from './popup-home.ts';

/** Returns false if the browser blocked copying. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // If permission was denied, the older method may still work.
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  popupHome(focused ?? document.body).append(area);
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand('copy');
  } catch {
    isCopied = false;
  }
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
