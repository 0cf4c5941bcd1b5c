// The loop in which a worker process runs its parent's commands.

/**
 * Reports that the worker is ready, runs commands one after another, and exits when the parent
 * does.
 */
export function runCommands<Command, Result>(run: (command: Command) => Promise<Result>): void {
  process.on('message', async (command: Command) => {
    try {
      process.send?.({ result: await run(command) });
    } catch (error) {
      process.send?.({ failure: error instanceof Error ? error.message : String(error) });
    }
  });
  process.once('disconnect', () => process.exit(0));
  process.send?.({ ready: true });
}
