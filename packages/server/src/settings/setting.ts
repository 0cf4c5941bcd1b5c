// What a setting is, and how its parser refuses.

export type Setting<T> = {
  name: string;
  meaning: string;
  /** As printed in the manual; null when the setting has none. */
  fallback: string | null;
  isSecret?: true;
  parse(text: string): T;
};

/** What a parser throws: the words after the setting's name. */
export class Fault extends Error {}
