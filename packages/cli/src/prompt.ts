// Questions to the person at the terminal. They are asked on stderr: stdout belongs to results.
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { interrupted, usage } from './faults.ts';
import type { Keyboard, Terminal } from './terminal.ts';

const STDIN_CHARS_MAX = 1_048_576;

export const isInteractive = ({ stdin, stderr }: Terminal): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

export const ask = ({ stdin, stderr }: Terminal, question: string): Promise<string> =>
  lineFrom(stdin, stderr, (lines) => lines.setPrompt(question));

/** What is typed is not shown. */
export async function askHidden({ stdin, stderr }: Terminal, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    // Asked only when the terminal has stopped echoing: a fast hand must not be faster than that.
    return await lineFrom(stdin, nowhere, () => void stderr.write(question));
  } finally {
    stderr.write('\n');
  }
}

/** A secret by hidden question at a terminal, else the first line of stdin. */
export async function secretFrom(
  terminal: Terminal,
  what: 'password' | 'secret key',
  forWhat: string,
): Promise<string> {
  const secret = isInteractive(terminal)
    ? await askHidden(terminal, `${what[0]?.toUpperCase()}${what.slice(1)} for ${forWhat}: `)
    : ((await readAll(terminal)).split(/\r?\n/)[0] ?? '');
  if (secret !== '') return secret;
  throw usage(`No ${what} was given.`, 'Type it, or put it on the first line of stdin.');
}

/** Whoever cannot be asked must have said yes beforehand. */
export async function confirm(terminal: Terminal, question: string): Promise<void> {
  if (!isInteractive(terminal)) {
    throw usage('This cannot be undone, and nobody can be asked here.', 'Say --yes to do it.');
  }
  const answer = await ask(terminal, `${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw usage('Nothing was changed.');
}

export async function readAll({ stdin }: Terminal): Promise<string> {
  stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of stdin) {
    text += chunk;
    if (text.length > STDIN_CHARS_MAX) throw usage('stdin holds more than this can take.');
  }
  return text;
}

function lineFrom(
  input: Keyboard,
  output: NodeJS.WritableStream,
  begin: (lines: Interface) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input, output, terminal: true, prompt: '', historySize: 0 });
    let answer: string | null = null;
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => (answer === null ? reject(interrupted()) : resolve(answer)));
    lines.once('line', (line) => {
      answer = line;
      lines.close();
    });
    begin(lines);
    lines.prompt();
  });
}
