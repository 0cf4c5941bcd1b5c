// Holds a credential until it is sent to its owner. Printing, logging or serialising it yields
// `[secret]`. Only reveal() returns the text, and a test lists the files that may call it.
import { inspect } from 'node:util';

export class Secret {
  readonly #text: string | null;

  /** `text` is null in a stored response, whose secrets can't be revealed. */
  constructor(text: string | null) {
    this.#text = text;
  }

  get isWithheld(): boolean {
    return this.#text === null;
  }

  reveal(): string {
    if (this.#text === null) throw new Error('a withheld secret cannot be revealed');
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

const WITHHELD = new Secret(null);

/** Copies a plain value, withholding every secret in it. */
export function withoutSecrets<T>(value: T): T;
export function withoutSecrets(value: unknown): unknown {
  if (value instanceof Secret) return WITHHELD;
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withoutSecrets(field)]),
  );
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
