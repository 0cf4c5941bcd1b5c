// What the element shows: the key manager or, if there is no session yet, the current state.
import { useState } from 'preact/hooks';
import type { Connection } from '../core/connection.ts';
import type { ConnectionState, Session } from '../core/session.ts';
import { mayWrite } from '../core/session.ts';
import type { Words } from '../texts/texts.ts';
import { type Emit, Widget } from '../ui/context.ts';
import { Icon } from '../ui/icons.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Commands, TenantKeys } from './keys.tsx';

/** A mistake on the page that must be fixed before the element can connect. */
export type Fault = 'error.setup' | 'error.token_url';

type AppProps = {
  words: Words;
  /** Null until the page has set `token-url` or `getToken`. */
  connection: Connection | null;
  state: ConnectionState;
  fault: Fault | null;
  isReadOnly: boolean;
  pageSize: number;
  emit: Emit;
  onCommands(commands: Commands | null): void;
};

export function App({ words, connection, state, fault, ...rest }: AppProps) {
  const [said, say] = useState('');
  const { session, ending } = state;
  return (
    <>
      {connection && session ? (
        <Widget.Provider
          value={{
            words,
            connection,
            session,
            say,
            emit: rest.emit,
            pageSize: rest.pageSize,
            mayChange: mayWrite(session) && !rest.isReadOnly,
          }}
        >
          <TenantKeys key={placeOf(session)} onCommands={rest.onCommands}>
            {ending && <Ended words={words} connection={connection} ending={ending} />}
          </TenantKeys>
        </Widget.Provider>
      ) : (
        <section part="root" class="frame" aria-label={words['list.title']}>
          {fault && <p class="problem alone">{words[fault]}</p>}
          {connection && ending ? (
            <Ended words={words} connection={connection} ending={ending} isAlone />
          ) : (
            !fault && <Skeleton words={words} />
          )}
        </section>
      )}
      <p class="unseen" role="status">
        {said}
      </p>
    </>
  );
}

/**
 * Returns a string that identifies a list of keys. Each tenant, project and environment has its own
 * list.
 */
const placeOf = ({ tenant, project, env }: Session): string => `${tenant.id} ${project.id} ${env}`;

type EndedProps = {
  words: Words;
  connection: Connection;
  ending: NonNullable<ConnectionState['ending']>;
  isAlone?: boolean;
};

/**
 * Tells the user that access has ended. Everything the user sees or has typed stays on the screen.
 */
function Ended({ words, connection, ending, isAlone = false }: EndedProps) {
  const [isBusy, setBusy] = useState(false);
  const retry = async () => {
    if (isBusy) return;
    setBusy(true);
    await connection.retry();
    setBusy(false);
  };
  const isOrigin = ending === 'origin_not_allowed';
  return (
    <div part="error" class={isAlone ? 'problem alone' : 'problem'} role="status">
      <Icon name="warning" />
      <p>{isOrigin ? words['error.origin_not_allowed'] : words[`token.${ending}`]}</p>
      <div class="problem-actions">
        <button
          type="button"
          part="button"
          class="button plain"
          aria-disabled={isBusy || undefined}
          aria-busy={isBusy || undefined}
          onClick={retry}
        >
          {isBusy && <span class="spinner" />}
          {words['action.retry']}
        </button>
      </div>
    </div>
  );
}
