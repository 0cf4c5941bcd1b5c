// The streams, environment and clock that a run uses. main.ts passes them in; tests can pass
// others.

type OutputStream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
export type InputStream = NodeJS.ReadableStream & { isTTY?: boolean };

export type Terminal = {
  env: Readonly<Record<string, string | undefined>>;
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  home: string;
  now(): Date;
};

/** Colours are used only on a terminal, and only if the user has not disabled them. */
export function hasColours({ env }: Terminal, stream: OutputStream, wanted: boolean): boolean {
  return wanted && stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
