// The key manager for one tenant: the list of keys, and the dialog that is open.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type ApiKey, nameOf } from '../core/api-key.ts';
import { type KeyList, useKeys } from '../core/use-keys.ts';
import type { KeyDetail } from '../types.ts';
import { Button } from '../ui/button.tsx';
import { useWidget } from '../ui/context.ts';
import { Icon } from '../ui/icons.tsx';
import { ProblemBox } from '../ui/problem.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { Create, type CreatedKey } from './create.tsx';
import { type Choice, Rows } from './list.tsx';
import { Reveal, type Revealed } from './reveal.tsx';
import { Revoke } from './revoke.tsx';
import { Rotate, type RotatedKey } from './rotate.tsx';
import { Usage } from './usage.tsx';

/** The element's methods that this screen implements. */
export type Commands = { openCreate(): void; reload(): Promise<void> };

type Open = Choice | { act: 'create' } | { act: 'reveal'; revealed: Revealed } | null;

type Props = { onCommands(commands: Commands | null): void; children: ComponentChildren };

export function TenantKeys({ onCommands, children }: Props) {
  const { words, session, mayChange } = useWidget();
  const [includeRevoked, setIncludeRevoked] = useState(false);
  const [open, setOpen] = useState<Open>(null);
  const list = useKeys(includeRevoked);
  const title = useId();
  const openCreate = () => {
    if (mayChange) setOpen((known) => known ?? { act: 'create' });
  };
  const commands = useRef<Commands>({ openCreate, reload: list.reload });
  commands.current = { openCreate, reload: list.reload };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the element calls them at any time
  useEffect(() => {
    onCommands({
      openCreate: () => commands.current.openCreate(),
      reload: () => commands.current.reload(),
    });
    return () => onCommands(null);
  }, []);
  return (
    <>
      <section part="root" class="frame" aria-labelledby={title}>
        {session.test_mode && <TestBand />}
        <header part="header" class="head">
          <h2 part="title" id={title} tabIndex={-1} data-title>
            {words['list.title']}
          </h2>
          {mayChange && (
            <Button kind="primary" icon="plus" onClick={openCreate}>
              {words['action.create']}
            </Button>
          )}
        </header>
        {children}
        {!mayChange && <p class="read-only">{words['list.read_only']}</p>}
        <Content list={list} onChoose={setOpen} />
        <Foot list={list} includeRevoked={includeRevoked} onIncludeRevoked={setIncludeRevoked} />
      </section>
      <OpenDialog open={open} onOpen={setOpen} list={list} />
    </>
  );
}

function TestBand() {
  const { words } = useWidget();
  return (
    <p class="test-band">
      <Icon name="flask" />
      <strong>{words['test.label']}</strong>
      <span>{words['test.text']}</span>
    </p>
  );
}

function Content({ list, onChoose }: { list: KeyList; onChoose(choice: Choice): void }) {
  const { words, mayChange } = useWidget();
  const { keys, problem } = list;
  return (
    <>
      {problem && (
        <ProblemBox of={problem}>
          <Button busy={list.isLoading} onClick={list.reload}>
            {words['action.retry']}
          </Button>
        </ProblemBox>
      )}
      {keys === null && !problem && <Skeleton words={words} />}
      {keys?.length === 0 && (
        <div part="empty" class="empty">
          <span class="empty-icon">
            <Icon name="key" />
          </span>
          <strong>{words['empty.title']}</strong>
          <p>{words[mayChange ? 'empty.text' : 'empty.read_only']}</p>
        </div>
      )}
      {keys && keys.length > 0 && <Rows keys={keys} onChoose={onChoose} />}
    </>
  );
}

type FootProps = {
  list: KeyList;
  includeRevoked: boolean;
  onIncludeRevoked(isIncluded: boolean): void;
};

function Foot({ list, includeRevoked, onIncludeRevoked }: FootProps) {
  const { words } = useWidget();
  const { keys, hasMore } = list;
  if (keys === null) return null;
  return (
    <footer class="foot">
      <span class="dim">{words[hasMore ? 'list.count_more' : 'list.count'](keys.length)}</span>
      {hasMore && (
        <Button busy={list.isLoading} onClick={list.more}>
          {words['list.more']}
        </Button>
      )}
      <label class="switch">
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its own state
          role="switch"
          checked={includeRevoked}
          onChange={({ currentTarget }) => onIncludeRevoked(currentTarget.checked)}
        />
        {words['list.show_revoked']}
      </label>
    </footer>
  );
}

type DialogProps = { open: Open; onOpen(open: Open): void; list: KeyList };

function OpenDialog({ open, onOpen, list }: DialogProps) {
  const { words, emit, say } = useWidget();
  if (open === null) return null;
  const onClose = () => onOpen(null);
  const onLook = () => {
    onOpen(null);
    void list.reload();
  };
  const onRevealed = (made: CreatedKey, previous: ApiKey | null) => {
    // The key is added to the list without its secret.
    const { key: value, key_shown_once, ...key } = made;
    list.put(...(previous ? [key, previous] : [key]));
    emit(previous ? 'rotated' : 'created', detailOf(key));
    say(words[previous ? 'said.rotated' : 'said.created'](nameOf(key, words)));
    onOpen(value === undefined ? null : { act: 'reveal', revealed: { key, value, previous } });
  };
  switch (open.act) {
    case 'create':
      return (
        <Create onClose={onClose} onLook={onLook} onCreated={(made) => onRevealed(made, null)} />
      );
    case 'rotate': {
      const onRotated = ({ previous_key, ...made }: RotatedKey) => onRevealed(made, previous_key);
      return <Rotate of={open.key} onClose={onClose} onLook={onLook} onRotated={onRotated} />;
    }
    case 'revoke': {
      const onRevoked = (key: ApiKey) => {
        list.put(key);
        emit('revoked', detailOf(key));
        say(words['said.revoked'](nameOf(key, words)));
        onClose();
      };
      return <Revoke of={open.key} onClose={onClose} onRevoked={onRevoked} />;
    }
    case 'usage':
      return <Usage of={open.key} onClose={onClose} />;
    case 'reveal':
      return <Reveal of={open.revealed} onClose={onClose} />;
  }
}

const detailOf = ({ id, display_prefix, name }: ApiKey): KeyDetail => ({
  id,
  display_prefix,
  name,
});
