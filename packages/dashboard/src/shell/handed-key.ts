// Passes a full key from the palette to the Explain screen, which can read it only once.
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

/** For the screen while it is open. Returns a function that stops listening. */
export function listenForKey(listener: () => void): () => void {
  onHanded = listener;
  return () => {
    onHanded = () => {};
  };
}
