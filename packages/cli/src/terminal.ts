// What a command sees of the machine. Handed in by main.ts, so that nothing else reads it.

export type Screen = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
export type Keyboard = NodeJS.ReadableStream & { isTTY?: boolean };

export type Terminal = {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Keyboard;
  stdout: Screen;
  stderr: Screen;
  home: string;
  now(): Date;
};

/** Colours are for eyes: never in a pipe, and never against the reader's wish. */
export function hasColours({ env }: Terminal, stream: Screen, wanted: boolean): boolean {
  return wanted && stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
