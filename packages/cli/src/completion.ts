// Completion scripts, read off the command line as it is built, so that they cannot fall behind.
import type { Command as Node } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

type Spot = {
  /** The words so far, each after a blank: ` keys list`; empty at the root. */
  at: string;
  children: { name: string; about: string }[];
  options: { flag: string; about: string; takes: boolean; choices: readonly string[] }[];
};

export function completionFor(shell: Shell, root: Node): string {
  const spots = spotsOf(root, '', optionsOf(root));
  switch (shell) {
    case 'bash':
      return bash(spots);
    case 'zsh':
      return zsh(spots);
    case 'fish':
      return fish(spots);
  }
}

function spotsOf(node: Node, at: string, shared: Spot['options']): Spot[] {
  const words = node.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const children = [
    ...node.commands.map((child) => ({ name: child.name(), about: child.summary() })),
    ...words.map((name) => ({ name, about: '' })),
  ];
  const options = at === '' ? shared : [...optionsOf(node), ...shared];
  const below = node.commands.flatMap((child) => spotsOf(child, `${at} ${child.name()}`, shared));
  return [{ at, children, options }, ...below];
}

const optionsOf = (node: Node): Spot['options'] => [
  ...node.options.map((option) => ({
    flag: option.long ?? option.short ?? '',
    about: option.description,
    takes: option.required || option.optional,
    choices: option.argChoices ?? [],
  })),
];

const wordsOf = ({ children, options }: Spot): string =>
  [...children.map(({ name }) => name), ...options.map(({ flag }) => flag), '--help'].join(' ');

/** Options whose value is one of a few, once each; the same flag always takes the same values. */
function choicesOf(spots: readonly Spot[]): Map<string, string> {
  const withChoices = spots.flatMap(({ options }) => options.filter((one) => one.choices.length));
  return new Map(withChoices.map(({ flag, choices }) => [flag, choices.join(' ')]));
}

const valueFlags = (spots: readonly Spot[]): string[] => [
  ...new Set(
    spots.flatMap(({ options }) => options.filter((one) => one.takes).map((one) => one.flag)),
  ),
];

const pathsOf = (spots: readonly Spot[]): string =>
  spots
    .filter(({ at }) => at !== '')
    .map(({ at }) => `"${at}"`)
    .join('|');

const bash = (spots: readonly Spot[]): string => `# bash completion of keyrail. Use it with:
#   source <(keyrail completion bash)
_keyrail() {
  local cur prev at i
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  at=""
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${pathsOf(spots)})
        at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$prev" in
${[...choicesOf(spots)]
  .map(([flag, words]) => `    ${flag}) COMPREPLY=($(compgen -W "${words}" -- "$cur")); return ;;`)
  .join('\n')}
    ${valueFlags(spots)
      .filter((flag) => !choicesOf(spots).has(flag))
      .join('|')}) return ;;
  esac
  case "$at" in
${spots
  .map((spot) => `    "${spot.at}") COMPREPLY=($(compgen -W "${wordsOf(spot)}" -- "$cur")) ;;`)
  .join('\n')}
  esac
}
complete -o default -F _keyrail keyrail
`;

const zsh = (spots: readonly Spot[]): string => `#compdef keyrail
# zsh completion of keyrail. Use it with:
#   source <(keyrail completion zsh)
_keyrail() {
  local at="" i
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${pathsOf(spots)}) at="$at \${words[i]}" ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
${[...choicesOf(spots)]
  .map(([flag, words]) => `    ${flag}) compadd -- ${words}; return ;;`)
  .join('\n')}
    ${valueFlags(spots)
      .filter((flag) => !choicesOf(spots).has(flag))
      .join('|')}) _files; return ;;
  esac
  case "$at" in
${spots.map((spot) => `    "${spot.at}") compadd -- ${wordsOf(spot)} ;;`).join('\n')}
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

function fish(spots: readonly Spot[]): string {
  const lines = spots.flatMap(({ at, children, options }) => {
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
  return `# fish completion of keyrail. Use it with:
#   keyrail completion fish | source
function __keyrail_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${pathsOf(spots).replaceAll('|', ' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c keyrail -f
${lines.join('\n')}
`;
}
