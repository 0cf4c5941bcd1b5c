// The program `keyrail-edge`. Only this file reads the environment of the process.
import { serveEdge } from './serve-edge.ts';
import { SettingFault, settingsIn, settingsText } from './settings.ts';

const HELP = `keyrail-edge: verifies API keys for proxies and for programs in any language.

usage: keyrail-edge [help]

Settings come from the environment:

${settingsText()}`;

const say = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

async function start(): Promise<void> {
  const edge = await serveEdge(settingsIn(process.env), say);
  process.stdout.write(`keyrail-edge listens on ${edge.places.join(', ')}\n`);
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    void edge.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

const [word] = process.argv.slice(2);
if (word === 'help' || word === '--help') {
  process.stdout.write(HELP);
} else if (word !== undefined) {
  say('usage: keyrail-edge [help]');
  process.exitCode = 2;
} else {
  await start().catch((error: unknown) => {
    // Mistakes in settings, also those that the SDK finds, need no stack.
    const isPlain = error instanceof SettingFault || error instanceof TypeError;
    say(isPlain ? `keyrail-edge: ${error.message}` : `keyrail-edge: ${String(error)}`);
    process.exitCode = 1;
  });
}
