// The text of a key on its way from the palette to the input of this screen. It is taken once.
let handed: string | null = null;
let onHanded = (): void => {};

export const handKey = (text: string): void => {
  handed = text;
  onHanded();
};

export function takeHandedKey(): string | null {
  const text = handed;
  handed = null;
  return text;
}

/** For the screen while it is open. Returns what stops the listening. */
export function listenForKey(listener: () => void): () => void {
  onHanded = listener;
  return () => {
    onHanded = () => {};
  };
}
