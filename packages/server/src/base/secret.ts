// Holds a credential until it is sent to its owner. Printing, logging or serialising it yields
// `[secret]`. Only reveal() returns the text, and a law lists the files that may call it.
import { inspect } from 'node:util';

export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
