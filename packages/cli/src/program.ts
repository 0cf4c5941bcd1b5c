// The command line as commander knows it, built from the rows of the groups.
import { Argument, Command as Node, Option } from 'commander';
import type { Command, Group } from './command.ts';
import { completionFor, type Shell, shells } from './completion.ts';
import { openContext } from './context.ts';
import { givenOf } from './given.ts';
import { confirm } from './prompt.ts';
import { painter } from './style.ts';
import { tokenOf } from './target.ts';
import type { Terminal } from './terminal.ts';
import { VERSION } from './version.ts';

export type Tree = { groups: readonly Group[]; single: readonly Command[] };

/** What becomes known of a run, for whoever reports its failure. */
export type Progress = { changes: boolean };

const about = `Keyrail from a terminal: projects, tenants and API keys of a Keyrail deployment.

Results go to stdout, everything else to stderr.`;

const afterHelp = `
Environment:
  KEYRAIL_PROFILE   profile to use
  KEYRAIL_URL       address of the deployment
  KEYRAIL_TOKEN     secret key, session or bootstrap token
  NO_COLOR          no colours

  A flag beats the environment, which beats the profile. Naming a profile with
  --profile sets KEYRAIL_URL and KEYRAIL_TOKEN aside. The credential of a
  profile is only ever sent to the address of that profile.

Exit codes:
  0  done
  1  refused by the server (4xx)
  2  usage
  3  unreachable, or the server failed (5xx)
  4  not logged in, or the credential is not valid

Start here:
  $ keyrail login --url https://keys.example.com
  $ keyrail keys list
`;

export function buildProgram(tree: Tree, terminal: Terminal, progress: Progress): Node {
  const root = new Node('keyrail')
    .description(about)
    .version(VERSION)
    .option('--profile <name>', 'profile to use')
    .option('--url <url>', 'address of the deployment')
    .option('--json', 'print the objects of the API as JSON; lists as arrays')
    .option('-q, --quiet', 'print only ids, or only the secret of what was made')
    .option('--no-color', 'no colours')
    .addHelpText('after', afterHelp)
    .exitOverride()
    .configureHelp({
      showGlobalOptions: true,
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
  const add = (parent: Node, row: Command) => addCommand(parent, row, { terminal, progress });
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

/** Apart from the rows: it needs the whole tree, and neither profile nor server. */
function addCompletion(root: Node, { stdout }: Terminal): void {
  root
    .command('completion')
    .summary('print a completion script')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'shell').choices(shells))
    .addHelpText('after', '\nExamples:\n  $ source <(keyrail completion bash)')
    .action((shell: Shell) => void stdout.write(completionFor(shell, root)));
}

type Surroundings = { terminal: Terminal; progress: Progress };

function addCommand(parent: Node, row: Command, { terminal, progress }: Surroundings): void {
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
    progress.changes = row.changes === true;
    const wishes = {
      json: given.flag('json'),
      quiet: given.flag('quiet'),
      color: flags.color !== false,
    };
    const context = await openContext(terminal, wishes, {
      profile: given.maybe('profile'),
      url: given.maybe('url'),
    });
    if (row.question && !given.flag('yes')) {
      // Whoever is not logged in need not be asked.
      tokenOf(context.target);
      await confirm(terminal, row.question(given));
    }
    await row.run(context, given);
  });
}

function optionsOf(row: Command): Option[] {
  const options = (row.options ?? []).map(({ flags, about: text, choices, required, repeat }) => {
    const option = new Option(flags, text);
    if (choices) option.choices(choices);
    if (required) option.makeOptionMandatory();
    if (repeat) option.argParser((value, before: string[] = []) => [...before, value]);
    return option;
  });
  if (row.question) options.push(new Option('-y, --yes', 'do it without asking'));
  return options;
}

const argumentsOf = (row: Command, values: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries((row.args ?? []).map(({ name }, at) => [name, values[at]]));

const exampleOf = ({ examples: [first = ''] }: Command): string => first;

function afterText({ notes, examples }: Pick<Command, 'notes' | 'examples'>): string {
  const lines = examples.map((example) => `  $ ${example}`).join('\n');
  return `${notes ? `\n${notes}\n` : ''}\nExamples:\n${lines}`;
}
