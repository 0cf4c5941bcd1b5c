// Path patterns, such as "/w/$slug/$env/keys/$keyId". The parameters are inferred from the
// pattern's type.
import { type Env, envs } from '@keyrail/protocol/wire/env.ts';

/** The names of a pattern's parameters: "slug" | "env" | "keyId". */
export type ParamNames<P extends string> = P extends `${infer Part}/${infer Rest}`
  ? ParamNames<Part> | ParamNames<Rest>
  : P extends `$${infer Name}`
    ? Name
    : never;

export type Params<P extends string> = {
  readonly [N in ParamNames<P>]: N extends 'env' ? Env : string;
};

/** The parameter values needed to fill in a pattern. */
export type Values<P extends string> = {
  readonly [N in ParamNames<P>]: N extends 'env' ? Env : string | number;
};

export const fill = (pattern: string, values: Readonly<Record<string, string | number>>): string =>
  pattern.replaceAll(/\$(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));

/** The parameters of a path that matches the pattern, or null. */
export function paramsIn(pattern: string, pathname: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const parts = pathname.split('/');
  if (parts.length !== wanted.length) return null;
  const params: Record<string, string> = {};
  for (const [at, name] of wanted.entries()) {
    const part = parts[at] ?? '';
    if (!name.startsWith('$')) {
      if (part !== name) return null;
      continue;
    }
    const value = decoded(part);
    if (value === '' || (name === '$env' && !isEnv(value))) return null;
    params[name.slice(1)] = value;
  }
  return params;
}

export const isEnv = (text: string): text is Env => envs.some((env) => env === text);

/** Returns an empty string if the text isn't valid URL encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
