// Runs the CLI on a pseudo-terminal of a given width, and types input when a question appears.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { program } from './harness.ts';

const SCRIPT = '/usr/bin/script';
const PATIENCE_MS = 20_000;

export const hasTerminals = existsSync(SCRIPT);
export const noTerminals = `${SCRIPT} is missing: no pseudo-terminal available`;

/** When the screen shows `sees`, `types` is typed as input. */
export type Turn = { sees: RegExp; types: string };

export type Shown = { code: number; screen: string };

export type TerminalRun = { env: Record<string, string>; columns?: number; turns?: Turn[] };

export async function atTerminal(
  words: string,
  { env, columns = 80, turns = [] }: TerminalRun,
): Promise<Shown> {
  const node = `"${process.execPath}" "${await program()}"`;
  const command = `stty cols ${columns}; ${node} ${words}; echo "exit:$?"`;
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/sh', ...env },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const waiting = [...turns];
  let screen = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [turn] = waiting;
    if (!turn?.sees.test(screen.slice(read))) return;
    waiting.shift();
    read = screen.length;
    child.stdin.write(turn.types);
  });
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(timer);
      const [, code = '-1'] = /exit:(\d+)\s*$/.exec(screen) ?? [];
      resolve({ code: Number(code), screen: screen.replaceAll('\r', '') });
    });
  });
}
