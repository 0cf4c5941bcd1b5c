// One command from its words to its exit code.
import { exitCodeOf, exitCodes, faultLines } from './faults.ts';
import { buildProgram, type Progress } from './program.ts';
import { painter } from './style.ts';
import { hasColours, type Terminal } from './terminal.ts';
import { tree } from './tree.ts';

export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const progress: Progress = { changes: false };
  const program = buildProgram(tree, terminal, progress);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    const wanted = !words.includes('--no-color');
    const paint = painter(hasColours(terminal, terminal.stderr, wanted));
    const lines = faultLines(error, { paint, changes: progress.changes });
    if (lines.length > 0) terminal.stderr.write(`${lines.join('\n')}\n`);
    return exitCodeOf(error);
  }
}
