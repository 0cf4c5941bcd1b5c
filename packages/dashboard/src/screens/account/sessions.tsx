// The user's sessions. Any session except the current one can be signed out here.
import type { Item } from '@keyrail/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange, useList, useRefresh, useSend } from '../../api/query.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { Section } from '../../ui/content/section.tsx';
import { State } from '../../ui/content/state.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { thenClose, toast } from '../../ui/feedback/toast.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import styles from './account.module.css';
import { texts } from './texts.ts';
import { programName } from './user-agent.ts';

type Session = Item<'GET /v1/auth/sessions'>;

const SESSIONS_SHOWN = 100;

export function Sessions() {
  const sessions = useList('GET /v1/auth/sessions', { query: { limit: SESSIONS_SHOWN } });
  return (
    <Section title={texts.sessions.title} lead={texts.sessions.lead}>
      <Loaded
        query={asQuery(sessions)}
        failed={texts.sessions.failed}
        skeleton={<SkeletonRows rows={2} />}
      >
        {([shown = []]) => (
          <>
            <ul aria-label={texts.sessions.list} className={styles.sessions}>
              {shown.map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </ul>
            {sessions.hasMore && <p>{texts.sessions.more(SESSIONS_SHOWN)}</p>}
            <EndOthers others={shown.filter(({ current }) => !current)} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function SessionRow({ session }: { session: Session }) {
  const end = useChange('DELETE /v1/auth/sessions/{id}', { refreshes: ['/v1/auth/sessions'] });
  const name = programName(session.user_agent);
  return (
    <li className={styles.session}>
      <div className={styles.program} title={session.user_agent ?? undefined}>
        <strong>{name}</strong>
        <span className={styles.times}>
          {texts.sessions.signedIn} <Time at={session.created_at} />, {texts.sessions.seen}{' '}
          <Time at={session.last_seen_at} />
        </span>
      </div>
      {session.current ? (
        <State tone="good" shape="full">
          {texts.sessions.this}
        </State>
      ) : (
        <Button
          small
          busy={end.isPending}
          aria-label={texts.sessions.endOf(name)}
          onClick={() =>
            end.mutate(
              { params: { id: session.id } },
              { onSuccess: () => toast(texts.sessions.ended) },
            )
          }
        >
          {texts.sessions.end}
        </Button>
      )}
      {end.error && <Problem error={end.error} />}
    </li>
  );
}

function EndOthers({ others }: { others: readonly Session[] }) {
  const send = useSend();
  const refresh = useRefresh();
  const [isOpen, setOpen] = useState(false);
  const endAll = useMutation({
    mutationFn: async () => {
      for (const { id } of others) {
        await send('DELETE /v1/auth/sessions/{id}', { params: { id } });
      }
    },
    ...thenClose(() => setOpen(false), texts.sessions.othersEnded),
    onSettled: () => void refresh('/v1/auth/sessions'),
  });
  return (
    <>
      {others.length > 0 && (
        <div>
          <Button kind="danger" onClick={() => setOpen(true)}>
            {texts.sessions.endOthers}
          </Button>
        </div>
      )}
      {isOpen && (
        <Confirm
          title={texts.sessions.confirmTitle}
          action={texts.sessions.endOthers}
          change={endAll}
          onConfirm={endAll.mutate}
          onClose={() => setOpen(false)}
        >
          <p>{texts.sessions.confirm(others.length)}</p>
        </Confirm>
      )}
    </>
  );
}
