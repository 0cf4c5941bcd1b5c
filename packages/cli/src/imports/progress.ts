// Shows the progress of a long command on stderr: as a bar on a terminal, otherwise as occasional
// lines.
import type { Output } from '../output/output.ts';
import { hasColours, type Terminal } from '../terminal/terminal.ts';

type Progress = {
  /** `done` is a fraction from 0 to 1. */
  show(done: number, text: string): void;
  /** Removes the bar. */
  end(): void;
};

const BAR_CHARS = 24;
/** Without a terminal, one line is printed for every ten API calls. */
const CALLS_PER_LINE = 10;

export function openProgress(terminal: Terminal, output: Output): Progress {
  const { stderr } = terminal;
  if (!hasColours({ ...terminal, env: { TERM: terminal.env.TERM } }, stderr, output.hasText)) {
    let calls = 0;
    return {
      show: (_, text) => {
        calls += 1;
        if (output.hasText && calls % CALLS_PER_LINE === 0) output.note(text);
      },
      end: () => {},
    };
  }
  const clear = '\r\u001b[K';
  return {
    show: (done, text) => {
      const full = Math.round(Math.min(1, done) * BAR_CHARS);
      const bar = '█'.repeat(full).padEnd(BAR_CHARS, '░');
      stderr.write(`${clear}${bar} ${Math.floor(Math.min(1, done) * 100)} %  ${text}`);
    },
    end: () => void stderr.write(clear),
  };
}
