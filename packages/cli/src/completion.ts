// Shell completion scripts, generated from the program's commands so that the scripts are always up
// to date.
import type { Command as Node } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A level of the command line: the program itself, a group or a command. */
type Level = {
  /**
   * The words that select this level, each preceded by a space, such as ` keys list`; empty for the
   * program.
   */
  at: string;
  children: { name: string; about: string }[];
  options: { flag: string; about: string; takes: boolean; choices: readonly string[] }[];
};

export function completionFor(shell: Shell, root: Node): string {
  const levels = levelsOf(root, '', optionsOf(root));
  switch (shell) {
    case 'bash':
      return bash(levels);
    case 'zsh':
      return zsh(levels);
    case 'fish':
      return fish(levels);
  }
}

function levelsOf(node: Node, at: string, shared: Level['options']): Level[] {
  const words = node.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const children = [
    ...node.commands.map((child) => ({ name: child.name(), about: child.summary() })),
    ...words.map((name) => ({ name, about: '' })),
  ];
  const options = at === '' ? shared : [...optionsOf(node), ...shared];
  const below = node.commands.flatMap((child) => levelsOf(child, `${at} ${child.name()}`, shared));
  return [{ at, children, options }, ...below];
}

const optionsOf = (node: Node): Level['options'] => [
  ...node.options.map((option) => ({
    flag: option.long ?? option.short ?? '',
    about: option.description,
    takes: option.required || option.optional,
    choices: option.argChoices ?? [],
  })),
];

const wordsOf = ({ children, options }: Level): string =>
  [...children.map(({ name }) => name), ...options.map(({ flag }) => flag), '--help'].join(' ');

/**
 * Maps each flag that has a fixed set of values to those values. The values are the same in every
 * command that has the flag.
 */
function choicesOf(levels: readonly Level[]): Map<string, string> {
  const withChoices = levels.flatMap(({ options }) => options.filter((one) => one.choices.length));
  return new Map(withChoices.map(({ flag, choices }) => [flag, choices.join(' ')]));
}

const valueFlags = (levels: readonly Level[]): string[] => [
  ...new Set(
    levels.flatMap(({ options }) => options.filter((one) => one.takes).map((one) => one.flag)),
  ),
];

const pathsOf = (levels: readonly Level[]): string =>
  levels
    .filter(({ at }) => at !== '')
    .map(({ at }) => `"${at}"`)
    .join('|');

const bash = (levels: readonly Level[]): string => `# bash completion for keyrail. Enable it with:
#   source <(keyrail completion bash)
_keyrail() {
  local cur prev at i
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  at=""
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${pathsOf(levels)})
        at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$prev" in
${[...choicesOf(levels)]
  .map(([flag, words]) => `    ${flag}) COMPREPLY=($(compgen -W "${words}" -- "$cur")); return ;;`)
  .join('\n')}
    ${valueFlags(levels)
      .filter((flag) => !choicesOf(levels).has(flag))
      .join('|')}) return ;;
  esac
  case "$at" in
${levels
  .map((level) => `    "${level.at}") COMPREPLY=($(compgen -W "${wordsOf(level)}" -- "$cur")) ;;`)
  .join('\n')}
  esac
}
complete -o default -F _keyrail keyrail
`;

const zsh = (levels: readonly Level[]): string => `#compdef keyrail
# zsh completion for keyrail. Enable it with:
#   source <(keyrail completion zsh)
_keyrail() {
  local at="" i
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${pathsOf(levels)}) at="$at \${words[i]}" ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
${[...choicesOf(levels)]
  .map(([flag, words]) => `    ${flag}) compadd -- ${words}; return ;;`)
  .join('\n')}
    ${valueFlags(levels)
      .filter((flag) => !choicesOf(levels).has(flag))
      .join('|')}) _files; return ;;
  esac
  case "$at" in
${levels.map((level) => `    "${level.at}") compadd -- ${wordsOf(level)} ;;`).join('\n')}
  esac
}
if [ "\${funcstack[1]}" = "_keyrail" ]; then
  _keyrail "$@"
else
  compdef _keyrail keyrail
fi
`;

const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fish(levels: readonly Level[]): string {
  const lines = levels.flatMap(({ at, children, options }) => {
    const here = `complete -c keyrail -n "__keyrail_at '${at}'"`;
    return [
      ...children.map(({ name, about }) => `${here} -f -a ${name} -d ${quoted(about)}`),
      ...options.map(({ flag, about, takes, choices }) => {
        const values = choices.length > 0 ? ` -f -a ${quoted(choices.join(' '))}` : '';
        const name = flag.replace(/^--/, '');
        return `${here} -l ${name}${takes ? ' -r' : ''}${values} -d ${quoted(about)}`;
      }),
    ];
  });
  return `# fish completion for keyrail. Enable it with:
#   keyrail completion fish | source
function __keyrail_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${pathsOf(levels).replaceAll('|', ' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c keyrail -f
${lines.join('\n')}
`;
}
