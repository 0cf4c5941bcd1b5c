// Reads settings from an environment, and collects all their errors.
import { Fault, type Group, type Setting, type ValueOf, type ValuesOf } from './setting.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * An invalid setting reads as undefined, regardless of its type, because no values are used if
 * there are any faults.
 */
export type Reader = {
  one<S extends Setting>(setting: S): ValueOf<S>;
  all<G extends Group>(group: G): ValuesOf<G>;
};

export function createReader(env: Environment): Reader & { faults(): string[] } {
  const faults = new Set<string>();

  function valueIn(setting: Setting): unknown {
    const name = nameIn(env, setting) ?? setting.name;
    const text = env[name] || setting.fallback;
    if (text === null) return null;
    try {
      return setting.parse(text);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.add(`${name} ${error.message}${setting.isSecret ? '' : `: ${text}`}`);
      return undefined;
    }
  }

  return {
    one: <S extends Setting>(setting: S) => valueIn(setting) as ValueOf<S>, // typed by its parser
    all: <G extends Group>(group: G) =>
      Object.fromEntries(
        Object.entries(group).map(([field, setting]) => [field, valueIn(setting)]),
      ) as ValuesOf<G>, // it has the group's fields
    faults: () => [...faults],
  };
}

/** The variable that sets a setting; null if the setting has its default. */
export const nameIn = (env: Environment, { name, alias = name }: Setting): string | null =>
  [name, alias].find((each) => env[each]) ?? null;
