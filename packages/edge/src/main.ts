// The `keyrail-edge` command. This is the only file that reads the environment.
import { serveEdge } from './serve-edge.ts';
import { SettingFault } from './setting-parsers.ts';
import { settingsIn, settingsText } from './settings.ts';

const HELP = `keyrail-edge: verifies API keys for proxies and for services in any language.

usage: keyrail-edge [help]

Settings come from the environment:

${settingsText()}`;

const say = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

async function start(): Promise<void> {
  const settings = settingsIn(process.env);
  for (const warning of settings.warnings) say(`keyrail-edge: ${warning}`);
  const edge = await serveEdge(settings, say);
  process.stdout.write(`keyrail-edge is listening on ${edge.places.join(', ')}\n`);
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
    // Errors in the settings, including those found by the SDK, need no stack trace.
    const isPlain = error instanceof SettingFault || error instanceof TypeError;
    const text = isPlain ? error.message : String(error);
    for (const line of text.split('\n')) say(`keyrail-edge: ${line}`);
    process.exitCode = 1;
  });
}
