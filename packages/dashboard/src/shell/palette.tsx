// The command palette. It opens pages, switches the workspace or environment, and finds objects.
// Screens can add their own sources of results.

import { mayChange } from '@keyrail/protocol/wire/roles.ts';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useMe } from '../api/me.ts';
import { useObserved } from '../api/observed.ts';
import { signOut } from '../api/sign-out.ts';
import { pathOfPage, type WorkspacePage, workspacePageOf } from '../match.ts';
import { type Place, paths } from '../paths.ts';
import { navigate, useAddress } from '../router/location.ts';
import { en } from '../texts/en.ts';
import { palette } from '../texts/palette.ts';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/controls/icon.tsx';
import { useModal } from '../ui/overlays/modal.ts';
import { navigation } from './navigation.ts';
import styles from './palette.module.css';
import { type Command, closePalette, paletteSources } from './palette-state.ts';
import { rememberedEnv } from './scope.ts';
import { openShortcuts } from './shortcuts-state.ts';
import { samePage } from './switcher.tsx';

const RESULTS_MAX = 50;
const PAUSE_MS = 150;

export function Palette() {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useModal(dialog, closePalette);
  const { found, state } = useFound(text);
  // Search results are listed after commands, so that results that arrive late don't change what
  // Enter runs.
  const commands = [...matching(useOwnCommands(), text), ...found].slice(0, RESULTS_MAX);
  const current = Math.min(at, commands.length - 1);
  const run = (command: Command | undefined) => {
    closePalette();
    command?.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((current + step + commands.length) % commands.length);
    else if (event.key === 'Enter') run(commands[current]);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does what a click on the backdrop does
    <dialog
      ref={dialog}
      aria-label={palette.label}
      className={styles.palette}
      onClick={({ target }) => target === dialog.current && closePalette()}
    >
      <div className={styles.top}>
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={palette.label}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={commands[current] && `${id}-${current}`}
          placeholder={palette.placeholder}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
      </div>
      <Results id={id} commands={commands} current={current} onRun={run} onPoint={setAt} />
      <Status state={state} count={commands.length} />
    </dialog>
  );
}

type ResultsProps = {
  id: string;
  commands: readonly Command[];
  current: number;
  onRun(command: Command): void;
  onPoint(at: number): void;
};

function Results({ id, commands, current, onRun, onPoint }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    // The input keeps the focus and refers to the highlighted option by its ID.
    <div
      ref={list}
      id={`${id}-list`}
      role="listbox"
      tabIndex={-1}
      aria-label={palette.results}
      className={styles.list}
    >
      {commands.map((command, at) => (
        // biome-ignore lint/a11y: the combobox handles the keys of its options
        <div
          key={command.id}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === current}
          className={classes(styles.option, at === current && styles.current)}
          onClick={() => onRun(command)}
          onPointerMove={() => onPoint(at)}
        >
          <Icon name={command.icon} />
          <span className={styles.label}>{command.label}</span>
          {command.note && <span className={styles.note}>{command.note}</span>}
        </div>
      ))}
    </div>
  );
}

function Status({ state, count }: { state: Found['state']; count: number }) {
  const isSeen = count === 0 || state === 'failed';
  return (
    <p role="status" className={isSeen ? styles.none : 'unseen'}>
      {state === 'failed' && palette.failed}
      {state === 'searching' && palette.searching}
      {state === 'done' && (count > 0 ? palette.found(count) : en.nothingFound)}
    </p>
  );
}

type Found = { found: readonly Command[]; state: 'searching' | 'failed' | 'done' };

const NONE: Found = { found: [], state: 'done' };

/**
 * Search results from the sources that mounted screens have added. A search starts when the user
 * stops typing, and is cancelled when the user types again.
 */
function useFound(text: string): Found {
  const asked = text.trim();
  const sources = useObserved(paletteSources);
  const [latest, setLatest] = useState<Found>(NONE);
  useEffect(() => {
    setLatest(asked === '' ? NONE : { found: [], state: 'searching' });
    if (asked === '') return;
    const controller = new AbortController();
    const { signal } = controller;
    const show = (found: Found) => signal.aborted || setLatest(found);
    const ask = () =>
      Promise.all(sources.map((source) => source(asked, signal))).then(
        (all) => show({ found: all.flat(), state: 'done' }),
        () => show({ found: [], state: 'failed' }),
      );
    const timer = setTimeout(ask, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [asked, sources]);
  return latest;
}

function useOwnCommands(): Command[] {
  const me = useMe();
  const { pathname } = useAddress();
  const page = workspacePageOf(pathname);
  const membership = me.data?.memberships.find((one) => one.slug === page?.slug);
  const mayCreate = membership !== undefined && mayChange(membership.role);
  const workspaces = (me.data?.memberships ?? [])
    .filter((one) => one.slug !== page?.slug)
    .map(
      (one): Command => ({
        id: `workspace ${one.slug}`,
        label: palette.switchWorkspace(one.name),
        icon: 'switcher',
        words: 'switch',
        run: go(samePage(pathname, one.slug)),
      }),
    );
  return [
    ...(page ? workspaceCommands(page, mayCreate) : []),
    ...workspaces,
    { id: 'account', label: en.account.settings, icon: 'account', run: go(paths.account) },
    { id: 'system', label: en.account.system, icon: 'system', run: go(paths.system) },
    { id: 'new-workspace', label: en.switcher.create, icon: 'plus', run: go(paths.newWorkspace) },
    { id: 'shortcuts', label: palette.shortcuts, icon: 'settings', run: openShortcuts },
    { id: 'sign-out', label: en.account.signOut, icon: 'signOut', run: () => void signOut() },
  ];
}

const go = (to: string) => () => void navigate(to);

function workspaceCommands(page: WorkspacePage, mayCreate: boolean): Command[] {
  const place = { slug: page.slug, env: page.env ?? rememberedEnv() };
  return [...(mayCreate ? [createCommand(place)] : []), ...goCommands(place), ...envCommands(page)];
}

const createCommand = (place: Place): Command => ({
  id: 'create key',
  label: palette.createKey(en.envs[place.env]),
  icon: 'plus',
  words: 'new',
  run: go(paths.newKey(place)),
});

function goCommands(place: Place): Command[] {
  const pages = navigation.flat().map(
    ({ name, icon, to }): Command => ({
      id: `go ${name}`,
      label: palette.go(en.navigation[name]),
      icon,
      run: go(to(place)),
    }),
  );
  pages.push({
    id: 'go start',
    label: palette.start,
    icon: 'arrow',
    run: go(paths.start(place)),
  });
  return pages;
}

/** Switches to the same page in the other environment. */
function envCommands(page: WorkspacePage): Command[] {
  if (page.env === null) return [];
  const other = page.env === 'live' ? 'test' : 'live';
  const label = palette.switchEnv(en.envs[other]);
  const to = pathOfPage({ ...page, env: other });
  return [{ id: 'env', label, icon: 'switcher', run: go(to) }];
}

/**
 * Returns the matching commands. Each typed word must be the beginning of a word in the command.
 */
function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ label, words: more = '' }) => {
    const own = `${label} ${more}`.toLowerCase().split(/\s+/);
    return words.every((word) => own.some((each) => each.startsWith(word)));
  });
}
