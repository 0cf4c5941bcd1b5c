// Copies text. The clipboard API isn't available over plain HTTP, so an older method is tried as
// well.

/** Returns false if the browser blocked copying. The text on the page is selected in that case. */
export async function copyText(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, shown);
  }
}

function copyBySelection(text: string, shown: HTMLElement): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  // Added inside the open dialog, because everything outside it is inert.
  shown.after(area);
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand('copy');
  } catch {
    isCopied = false;
  }
  area.remove();
  if (!isCopied) document.getSelection()?.selectAllChildren(shown);
  return isCopied;
}
