// Runs one command line and returns its exit code.

import { tree } from './commands/all.ts';
import { exitCodeOf, exitCodes, failureLines } from './failures.ts';
import { buildProgram, type Progress } from './program.ts';
import { painter } from './terminal/style.ts';
import { hasColours, type Terminal } from './terminal/terminal.ts';

export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const progress: Progress = { changes: false };
  const program = buildProgram(tree, terminal, progress);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    const wanted = !args.includes('--no-color');
    const paint = painter(hasColours(terminal, terminal.stderr, wanted));
    const lines = failureLines(error, { paint, changes: progress.changes });
    if (lines.length > 0) terminal.stderr.write(`${lines.join('\n')}\n`);
    return exitCodeOf(error);
  }
}
