// Reads settings from an environment, and collects all their errors.
import { Fault, type Group, type Setting, type ValueOf, type ValuesOf } from './setting.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings and collects errors. For an invalid setting, `one` and `all` return undefined,
 * even though the type doesn't say so. This is safe, because if there are any errors, the values
 * aren't used.
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
    // The setting's parser returns a `ValueOf<S>`.
    one: <S extends Setting>(setting: S) => valueIn(setting) as ValueOf<S>,
    all: <G extends Group>(group: G) =>
      Object.fromEntries(
        Object.entries(group).map(([field, setting]) => [field, valueIn(setting)]),
      ) as ValuesOf<G>, // the result has the same fields as the group
    faults: () => [...faults],
  };
}

/** The variable that sets a setting; null if the setting has its default. */
export const nameIn = (env: Environment, { name, alias = name }: Setting): string | null =>
  [name, alias].find((each) => env[each]) ?? null;
