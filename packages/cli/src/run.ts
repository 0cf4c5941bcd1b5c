// Runs one command line and returns its exit code.

import { tree } from './commands/all.ts';
import { exitCodeOf, exitCodes, failureLines, usage } from './failures.ts';
import { buildProgram, type Progress } from './program.ts';
import { painter } from './terminal/style.ts';
import { hasColours, type Terminal } from './terminal/terminal.ts';

export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const progress: Progress = { changes: false };
  const program = buildProgram(tree, terminal, progress);
  try {
    refuseSecrets(args);
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

/** Matches all or most of a key, secret key or session, which is far more than a display prefix. */
const CREDENTIAL = /^(?:kr_live|kr_test|krsk_live|krsk_test|krses)_[\w-]{24,}$/;

/**
 * Rejects credentials in arguments, because other users can see arguments, and error messages would
 * repeat them.
 */
function refuseSecrets(args: readonly string[]): void {
  if (!args.some((arg) => CREDENTIAL.test(arg.slice(arg.lastIndexOf('=') + 1)))) return;
  throw usage(
    "Don't pass a full key as an argument: other users on this machine can see it.",
    'Pass its prefix (kr_live_ plus six characters), or log in with it: keyrail login --key',
  );
}
