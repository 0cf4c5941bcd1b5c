// Asks questions on the terminal. The questions are printed on stderr, because stdout is only for
// results.
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { interrupted, usage } from '../failures.ts';
import type { InputStream, Terminal } from './terminal.ts';

const STDIN_CHARS_MAX = 1_048_576;

export const isInteractive = ({ stdin, stderr }: Terminal): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

export const ask = ({ stdin, stderr }: Terminal, question: string): Promise<string> =>
  lineFrom(stdin, stderr, (lines) => lines.setPrompt(question));

/** Reads a line without echoing it. */
async function askHidden({ stdin, stderr }: Terminal, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    // The question is not printed until echo is off, so that anything typed early is hidden too.
    return await lineFrom(stdin, nowhere, () => void stderr.write(question));
  } finally {
    stderr.write('\n');
  }
}

/** Reads a secret: on a terminal without echo, otherwise from the first line of stdin. */
export async function secretFrom(
  terminal: Terminal,
  what: 'password' | 'secret key' | 'key',
  question: string,
): Promise<string> {
  const secret = isInteractive(terminal)
    ? await askHidden(terminal, `${question}: `)
    : ((await readAll(terminal)).split(/\r?\n/)[0] ?? '');
  if (secret !== '') return secret;
  throw usage(`No ${what} given.`, 'Type it, or pass it on the first line of stdin.');
}

/** Fails if there is no terminal to ask a question on. In that case, --yes is required. */
export function requireTerminal(terminal: Terminal): void {
  if (isInteractive(terminal)) return;
  throw usage(
    "This can't be undone. To confirm without a terminal, pass --yes.",
    'Some commands accept --dry-run, which only shows what would change.',
  );
}

/** Asks for confirmation, and throws unless the answer is yes. */
export async function confirm(terminal: Terminal, question: string): Promise<void> {
  requireTerminal(terminal);
  const answer = await ask(terminal, `${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw usage('Nothing was changed.');
}

export async function readAll({ stdin }: Terminal): Promise<string> {
  stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of stdin) {
    text += chunk;
    if (text.length > STDIN_CHARS_MAX)
      throw usage(`stdin is longer than ${STDIN_CHARS_MAX} characters.`);
  }
  return text;
}

function lineFrom(
  input: InputStream,
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
