/**
 * Prints to standard error what the setup is doing. In a terminal, this is one line that changes;
 * elsewhere, it is a line when a step begins, a few during it, and one when it ends.
 */
const TERMINAL_MS = 500;
const ELSEWHERE_MS = 15_000;
const ERASE_LINE = '\r\u001b[K';

/** Runs `work`, and shows how long it is taking and what `progress` returns. */
export async function step(what, work, progress = () => null) {
  const out = process.stderr;
  const beganMs = performance.now();
  const timed = (text) =>
    `keyrail: ${what}: ${text ? `${text}, ` : ''}${Math.round((performance.now() - beganMs) / 1000)} s`;
  const show = () =>
    out.isTTY
      ? out.write(ERASE_LINE + timed(progress()).slice(0, (out.columns || 80) - 1))
      : console.error(timed(progress()));
  if (out.isTTY) show();
  else console.error(`keyrail: ${what}`);
  const timer = setInterval(show, out.isTTY ? TERMINAL_MS : ELSEWHERE_MS);
  try {
    const result = await work();
    endLine(timed('done'));
    return result;
  } catch (error) {
    endLine(timed('failed'));
    throw error;
  } finally {
    clearInterval(timer);
  }
}

const endLine = (text) => console.error(`${process.stderr.isTTY ? ERASE_LINE : ''}${text}`);
