// Builds the commander program from the table of commands.
import { KeyrailError } from '@keyrail/client';
import { Argument, Help, Command as Node, Option } from 'commander';
import type { Command, Group } from './command.ts';
import { completionFor, type Shell, shells } from './completion.ts';
import { type Context, openContext } from './context.ts';
import { type Given, givenOf } from './input/given.ts';
import { impactFields, impactText } from './output/impact.ts';
import { tokenOf } from './profiles/target.ts';
import { confirm, requireTerminal } from './terminal/prompt.ts';
import { painter } from './terminal/style.ts';
import type { Terminal } from './terminal/terminal.ts';
import { VERSION } from './version.ts';

export type Tree = { groups: readonly Group[]; single: readonly Command[] };

/**
 * Whether the running command changes something. If the command fails, the error message depends on
 * this.
 */
export type Progress = { changes: boolean };

const about = `Manage projects, tenants and API keys of a Keyrail deployment.

Results go to stdout, everything else to stderr.`;

const afterHelp = `
Environment:
  KEYRAIL_PROFILE   profile to use
  KEYRAIL_URL       URL of the deployment
  KEYRAIL_TOKEN     secret key, session or bootstrap token
  NO_COLOR          disable colours

  A flag overrides the environment, which overrides the profile. With --profile,
  KEYRAIL_URL and KEYRAIL_TOKEN are ignored. A profile's credential is only sent
  to that profile's URL.

Exit codes:
  0  success
  1  rejected by the server (4xx)
  2  wrong usage
  3  server unreachable or failing (5xx)
  4  not logged in, or invalid credential

Start here:
  $ keyrail login --url https://keys.example.com
  $ keyrail keys list
`;

export function buildProgram(tree: Tree, terminal: Terminal, progress: Progress): Node {
  const root = new Node('keyrail')
    .description(about)
    .version(VERSION)
    .option('--profile <name>', 'profile to use')
    .option('--url <url>', 'URL of the deployment')
    .option('--json', "print the API's JSON response; lists as arrays")
    .option('-q, --quiet', 'print only IDs, or only the new secret')
    .option('--no-color', 'disable colours')
    .addHelpText('after', afterHelp)
    .exitOverride()
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (command) =>
        globalHelp.visibleGlobalOptions(command).filter(({ long }) => !isShadowed(command, long)),
      styleTitle: (text) => painter(true)('bold', text),
    })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'keyrail: ')),
      getOutHasColors: () => terminal.stdout.isTTY === true && !terminal.env.NO_COLOR,
      getErrHasColors: () => false,
      getOutHelpWidth: () => (terminal.stdout.isTTY && terminal.stdout.columns) || 80,
    })
    .showHelpAfterError('  See: keyrail --help');
  const profiles: string[] = [];
  root.on('option:profile', (name: string) => profiles.push(name));
  const add = (parent: Node, row: Command) =>
    addCommand(parent, row, { terminal, progress, profiles });
  for (const row of tree.single) add(root, row);
  for (const { name, summary, commands } of tree.groups) {
    const group = root.command(name).summary(summary).description(summary);
    for (const row of commands) add(group, row);
    group.addHelpText('after', afterText({ examples: commands.map(exampleOf) }));
    group.showHelpAfterError(`  See: keyrail ${name} --help`);
  }
  addCompletion(root, terminal);
  return root;
}

const globalHelp = Object.assign(new Help(), { showGlobalOptions: true });

/** Whether a command has its own option with the name of a global one. */
const isShadowed = (command: Node, name: string | undefined): boolean =>
  command.options.some(({ long }) => long === name);

/**
 * Adds the `completion` command. It isn't in the table, because it needs the program itself but
 * neither a profile nor a server.
 */
function addCompletion(root: Node, { stdout }: Terminal): void {
  root
    .command('completion')
    .summary('print a completion script')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(shells))
    .addHelpText('after', '\nExamples:\n  $ source <(keyrail completion bash)')
    .action((shell: Shell) => void stdout.write(completionFor(shell, root)));
}

type RunState = {
  terminal: Terminal;
  progress: Progress;
  /** Every `--profile` on the command line, in order. */
  profiles: readonly string[];
};

/** If a command has its own `--profile` option, the last `--profile` belongs to the command. */
const loginProfile = ({ options = [] }: Command, profiles: readonly string[]) =>
  options.some(({ flags }) => flags.startsWith('--profile ')) ? profiles.at(-2) : profiles.at(-1);

function addCommand(parent: Node, row: Command, { terminal, progress, profiles }: RunState): void {
  const node = parent.command(row.name).summary(row.summary).description(row.summary);
  for (const { name, about: text, choices } of row.args ?? []) {
    const argument = new Argument(`<${name}>`, text);
    node.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const option of optionsOf(row)) node.addOption(option);
  node.addHelpText('after', afterText(row));
  const path = parent.parent ? `${parent.name()} ${row.name}` : row.name;
  node.showHelpAfterError(`  See: keyrail ${path} --help`);
  node.action(async () => {
    const flags = node.optsWithGlobals();
    const given = givenOf({ ...flags, ...argumentsOf(row, node.processedArgs) });
    const isDryRun = given.flag('dryRun');
    progress.changes = row.changes === true && !isDryRun;
    const outputOptions = {
      json: given.flag('json'),
      quiet: given.flag('quiet'),
      color: flags.color !== false,
    };
    const context = await openContext(terminal, outputOptions, {
      profile: loginProfile(row, profiles),
      url: given.maybe('url'),
    });
    if (isDryRun && row.impact) {
      const impact = await row.impact(context.client(), given, context);
      return context.output.record(impact, impactFields);
    }
    if (row.question && !given.flag('yes')) await askFirst(row, given, context);
    await row.run(context, given);
  });
}

/**
 * Shows what would change and asks for confirmation. Without a credential or a terminal, fails
 * before sending a request.
 */
async function askFirst(row: Command, given: Given, context: Context): Promise<void> {
  tokenOf(context.target);
  requireTerminal(context.terminal);
  const impact = await row.impact?.(context.client(), given, context).catch(ifTooOld);
  if (impact) context.output.note(impactText(impact));
  if (row.question) await confirm(context.terminal, await row.question(given, context));
}

/**
 * Ignores a 400: a server too old to support dry runs rejects the parameter, but can still make the
 * change.
 */
function ifTooOld(error: unknown): null {
  if (error instanceof KeyrailError && error.status === 400) return null;
  throw error;
}

function optionsOf(row: Command): Option[] {
  const options = (row.options ?? []).map(({ flags, about: text, choices, required, repeat }) => {
    const option = new Option(flags, text);
    if (choices) option.choices(choices);
    if (required) option.makeOptionMandatory();
    if (repeat) option.argParser((value, before: string[] = []) => [...before, value]);
    return option;
  });
  if (row.impact) options.push(new Option('--dry-run', 'only show what would change'));
  if (row.question) options.push(new Option('-y, --yes', 'do not ask for confirmation'));
  return options;
}

const argumentsOf = (row: Command, values: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries((row.args ?? []).map(({ name }, at) => [name, values[at]]));

const exampleOf = ({ examples: [first = ''] }: Command): string => first;

function afterText({ notes, examples }: Pick<Command, 'notes' | 'examples'>): string {
  const lines = examples.map((example) => `  $ ${example}`).join('\n');
  return `${notes ? `\n${notes}\n` : ''}\nExamples:\n${lines}`;
}
