// The text of a key on its way from the palette to the input of this screen. It is taken once.
let handed: string | null = null;

export const handKey = (text: string): void => {
  handed = text;
};

export function takeHandedKey(): string | null {
  const text = handed;
  handed = null;
  return text;
}
