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

/**
 * Calls the listener when a key is passed to the Explain screen while that screen is open. Returns
 * a function that stops listening.
 */
export function listenForKey(listener: () => void): () => void {
  onHanded = listener;
  return () => {
    onHanded = () => {};
  };
}
