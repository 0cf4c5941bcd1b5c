import { UUID_ANY_CASE } from '@keyrail/protocol/wire/uuid.ts';
// Reads the arguments and options of a command line, converted to the types that a command expects.
import { usage } from '../failures.ts';

export type Given = {
  /** A required argument or option. */
  text(name: string): string;
  maybe(name: string): string | undefined;
  /** A required ID. The error does not quote an invalid value, because it might be a pasted key. */
  id(name: string): string;
  flag(name: string): boolean;
  /** Whether `--no-<name>` was given. */
  negated(name: string): boolean;
  list(name: string): string[] | undefined;
  /** A whole number. */
  number(name: string): number | undefined;
  /** A value from a fixed set. */
  oneOf<T extends string>(name: string, choices: readonly T[]): T;
  maybeOneOf<T extends string>(name: string, choices: readonly T[]): T | undefined;
  /** A JSON object. */
  object(name: string): Record<string, unknown> | undefined;
};

export function givenOf(values: Readonly<Record<string, unknown>>): Given {
  const given: Given = {
    text(name) {
      const value = given.maybe(name);
      if (value === undefined) throw usage(`${flagOf(name)} is required.`);
      return value;
    },
    maybe: (name) => {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    },
    id(name) {
      const value = given.text(name);
      if (isUuid(value)) return value;
      throw usage('Not a valid ID. An ID looks like 01890c5e-7b21-7c3a-9d5e-0123456789ab.');
    },
    flag: (name) => values[name] === true,
    negated: (name) => values[name] === false,
    list: (name) => {
      const value = values[name];
      return Array.isArray(value) ? value.map(String) : undefined;
    },
    number(name) {
      const value = given.maybe(name);
      if (value === undefined) return undefined;
      if (/^\d{1,15}$/.test(value)) return Number(value);
      throw usage(`${flagOf(name)} must be a whole number, not "${value}".`);
    },
    oneOf(name, choices) {
      const found = choices.find((choice) => choice === given.maybe(name));
      if (found === undefined) throw usage(`${flagOf(name)} must be one of ${choices.join(', ')}.`);
      return found;
    },
    maybeOneOf: (name, choices) =>
      given.maybe(name) === undefined ? undefined : given.oneOf(name, choices),
    object(name) {
      const value = given.maybe(name);
      if (value === undefined) return undefined;
      const parsed = jsonOf(name, value);
      if (isObject(parsed)) return parsed;
      throw usage(`${flagOf(name)} must be a JSON object, as in '{"plan":"gold"}'.`);
    },
  };
  return given;
}

export function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usage(`${flagOf(name)} isn't valid JSON.`);
  }
}

export const isUuid = (text: string): boolean => UUID_ANY_CASE.test(text);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`;
