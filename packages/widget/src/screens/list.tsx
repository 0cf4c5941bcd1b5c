// The rows of the list, shown as a table or, if the element is narrow, as cards.
import { whyNotRotatable, workingKeyStates } from '@keyrail/protocol/wire/key-states.ts';
import type { ComponentChildren } from 'preact';
import { nowMs } from '../clock.ts';
import { type ApiKey, nameOf, shownState } from '../core/api-key.ts';
import { grantsOf } from '../core/session.ts';
import { dateText, fullTime, relativeTime } from '../core/times.ts';
import { useWidget } from '../ui/context.ts';
import { StateShape } from '../ui/icons.tsx';
import { Menu, type MenuEntry } from '../ui/menu.tsx';

/** What the user chose from a row's menu, and the row's key. */
export type Choice = { act: 'rotate' | 'revoke' | 'usage'; key: ApiKey };

type Props = { keys: readonly ApiKey[]; onChoose(choice: Choice): void };

export function Rows({ keys, onChoose }: Props) {
  const { words } = useWidget();
  const rotated = new Set(keys.map(({ rotated_from }) => rotated_from));
  const columns = ['list.name', 'list.state', 'list.last_used', 'list.expires'] as const;
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: rows become cards in narrow places
    // biome-ignore-start lint/a11y/useFocusableInteractive: rows are not interactive
    <div part="table" class="table" role="table" aria-label={words['list.title']}>
      <div role="rowgroup" class="columns">
        <div role="row" class="row">
          {columns.map((column) => (
            <span key={column} role="columnheader">
              {words[column]}
            </span>
          ))}
          <span role="columnheader" class="unseen">
            {words['list.actions']}
          </span>
        </div>
      </div>
      <div role="rowgroup">
        {keys.map((key) => (
          <Row key={key.id} of={key} isRotated={rotated.has(key.id)} onChoose={onChoose} />
        ))}
      </div>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: rows are not interactive
    // biome-ignore-end lint/a11y/useSemanticElements: rows become cards in narrow places
  );
}

type RowProps = { of: ApiKey; isRotated: boolean; onChoose(choice: Choice): void };

function Row({ of: key, isRotated, onChoose }: RowProps) {
  const { words } = useWidget();
  const now = nowMs();
  const state = shownState(key, words, { nowMs: now, isRotated });
  const name = nameOf(key, words);
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: rows become cards in narrow places
    // biome-ignore-start lint/a11y/useFocusableInteractive: rows are not interactive
    <div part="row" role="row" class={workingKeyStates.includes(key.state) ? 'row' : 'row ended'}>
      <div part="cell" role="cell" class="who">
        <strong class={key.name === null ? 'unnamed' : ''}>{name}</strong>
        <code>{key.display_prefix}…</code>
      </div>
      <div part="cell" role="cell" class="state-cell">
        <span part="state" class={`state ${state.tone}`}>
          <StateShape shape={state.shape} />
          {state.text}
        </span>
      </div>
      <Fact label={words['list.last_used']}>
        {key.last_used_at === null ? (
          <span class="dim">{words['list.never_used']}</span>
        ) : (
          <time dateTime={key.last_used_at} title={fullTime(key.last_used_at, words)}>
            {relativeTime(key.last_used_at, words, now)}
          </time>
        )}
      </Fact>
      <Fact label={words['list.expires']}>
        {key.expires_at === null ? (
          <span class="dim">{words['list.never_expires']}</span>
        ) : (
          <time dateTime={key.expires_at} title={fullTime(key.expires_at, words)}>
            {dateText(key.expires_at, words)}
          </time>
        )}
      </Fact>
      <div part="cell" role="cell" class="menu-cell">
        <Menu label={words['list.menu'](name)} entries={useEntries(key, onChoose)} />
      </div>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: rows are not interactive
    // biome-ignore-end lint/a11y/useSemanticElements: rows become cards in narrow places
  );
}

type FactProps = { label: string; children: ComponentChildren };

const Fact = ({ label, children }: FactProps) => (
  // biome-ignore lint/a11y/useSemanticElements: rows become cards in narrow places
  <div part="cell" role="cell" class="fact">
    <span class="fact-label" aria-hidden="true">
      {label}
    </span>
    {children}
  </div>
);

function useEntries(key: ApiKey, onChoose: Props['onChoose']): MenuEntry[] {
  const { words, mayChange, session } = useWidget();
  const entry = (act: Choice['act'], more: Partial<MenuEntry> = {}): MenuEntry => ({
    label: words[`action.${act}`],
    icon: act,
    onChoose: () => onChoose({ act, key }),
    ...more,
  });
  const entries = [entry('usage')];
  const why = whyNotRotatable(key);
  if (!mayChange || why === 'revoked') return entries;
  const grants = grantsOf(session);
  const isGranted = key.scopes.every((scope) => grants.includes(scope));
  const because = isGranted ? null : words['rotate.not_granted'];
  entries.push(
    entry('rotate', { because: why === null ? because : words['rotate.disabled'] }),
    entry('revoke', { isDanger: true }),
  );
  return entries;
}
