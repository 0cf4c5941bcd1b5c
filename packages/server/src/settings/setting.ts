// The type of a setting, and the error of its parser.

export type Setting<T> = {
  name: string;
  meaning: string;
  /** The variable that platforms set for the same purpose. It counts where `name` is not set. */
  alias?: string;
  /** Default value as text; null if the setting has no default. */
  fallback: string | null;
  isSecret?: true;
  parse(text: string): T;
};

/** Thrown by parsers. The message continues a sentence that begins with the setting's name. */
export class Fault extends Error {}
