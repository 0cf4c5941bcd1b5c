// The type of a setting, and the types derived from a group of settings.

export type Setting<T = unknown> = {
  name: string;
  meaning: string;
  /** A variable that hosting platforms set for the same purpose. It is used if `name` isn't set. */
  alias?: string;
  /** The default value as text; null if the setting has no default. */
  fallback: string | null;
  isSecret?: true;
  parse(text: string): T;
};

/** Settings used together, each under its field name in the config. */
export type Group = Readonly<Record<string, Setting>>;

/** A setting's value, which can only be null if it has no default. */
export type ValueOf<S extends Setting> =
  | ReturnType<S['parse']>
  | (S['fallback'] extends string ? never : null);

export type ValuesOf<G extends Group> = { readonly [Field in keyof G]: ValueOf<G[Field]> };

/** Thrown by parsers. The message continues a sentence that begins with the setting's name. */
export class Fault extends Error {}
