// Saves text as a file on the user's machine.

/** How long the file's URL stays valid, so that the browser has time to read the file. */
const ADDRESS_KEPT_MS = 60_000;

export function saveFile(name: string, text: string | string[], type: string): void {
  const url = URL.createObjectURL(new Blob([text].flat(), { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), ADDRESS_KEPT_MS);
}
