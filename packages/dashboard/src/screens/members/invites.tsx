// Pending invitations and, if requested, accepted, revoked and expired ones.
import {
  inviteStateOf,
  type InviteState as StateName,
} from '@keyrail/protocol/wire/invite-state.ts';
import { useState } from 'react';
import { useChange, useList } from '../../api/query.ts';
import { useSearch } from '../../router/use-search.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { durationText } from '../../ui/content/spans.ts';
import { type Shape, State, type Tone } from '../../ui/content/state.tsx';
import { Time, useNow } from '../../ui/content/time.tsx';
import { Switch } from '../../ui/controls/toggle.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { menuColumn } from '../../ui/tables/menu-column.ts';
import { type Column, Table } from '../../ui/tables/table.tsx';
import styles from './members.module.css';
import { type Invite, type Member, nameOf, STALE } from './people.ts';
import { texts } from './texts.ts';

const PAGE_ROWS = 100;

const isPending = (invite: Invite, nowMs: number): boolean =>
  inviteStateOf(invite, nowMs) === 'pending';

const parse = ({ past }: Readonly<Record<string, string>>) => ({ isAll: past === 'true' });

export function Invites({ members }: { members: readonly Member[] }) {
  const { mayChange, isOwner } = useScope();
  const [{ isAll }, setSearch] = useSearch(parse);
  const [revoking, setRevoking] = useState<Invite | null>(null);
  const invites = useList('GET /v1/invites', { query: { limit: PAGE_ROWS } });
  const now = useNow();
  const because = isOwner ? null : texts.ownersOnly;
  const menu = menuOf({ because, nowMs: now, onRevoke: setRevoking });
  const columns = columnsOf(members, now);
  return (
    <section className={styles.section} aria-label={texts.invitations}>
      <header className={styles.sectionHead}>
        <h2>{texts.invitations}</h2>
        <Switch
          label={texts.pastToo}
          checked={isAll}
          onChecked={(checked) => setSearch({ past: checked ? 'true' : undefined })}
        />
      </header>
      <Loaded
        query={asQuery(invites)}
        failed={texts.failedInvites}
        skeleton={<SkeletonRows rows={2} />}
      >
        {(pages) => {
          const shown = pages.map((page) => page.filter((one) => isAll || isPending(one, now)));
          return shown.flat().length === 0 && !invites.hasMore ? (
            <p className={styles.none}>{texts.noInvites}</p>
          ) : (
            <Table
              label={texts.invitations}
              columns={mayChange ? [...columns, menu] : columns}
              pages={shown}
              rowKey={({ id }) => id}
              isFaded={(one) => !isPending(one, now)}
              paging={invites}
            />
          );
        }}
      </Loaded>
      {revoking && <RevokeDialog invite={revoking} onClose={() => setRevoking(null)} />}
    </section>
  );
}

// biome-ignore format: one line for each column
const columnsOf = (members: readonly Member[], nowMs: number): Column<Invite>[] => [
  { id: 'address', title: texts.columns.address, width: 'minmax(180px, 2fr)', card: 'name', cell: ({ email }) => email },
  { id: 'role', title: texts.columns.role, width: '96px', card: 'fact', cell: ({ role }) => en.roles[role] },
  { id: 'state', title: texts.columns.state, width: 'minmax(150px, 1fr)', card: 'state', cell: (invite) => <InviteState invite={invite} nowMs={nowMs} /> },
  { id: 'by', title: texts.columns.by, width: 'minmax(120px, 1fr)', card: 'none', isExtra: true, cell: ({ invited_by }) => inviterOf(invited_by, members) },
  { id: 'sent', title: texts.columns.sent, width: '96px', card: 'fact', cell: ({ created_at }) => <Time at={created_at} /> },
];

function inviterOf(id: string | null, members: readonly Member[]): string {
  if (id === null) return texts.bySecretKey;
  const member = members.find((one) => one.user_id === id);
  return member ? nameOf(member) : texts.former;
}

const looks: Readonly<Record<StateName, { tone: Tone; shape: Shape }>> = {
  accepted: { tone: 'good', shape: 'full' },
  revoked: { tone: 'bad', shape: 'cross' },
  expired: { tone: 'dim', shape: 'ring' },
  pending: { tone: 'warn', shape: 'clock' },
};

function InviteState({ invite, nowMs }: { invite: Invite; nowMs: number }) {
  const { inviteStates } = texts;
  const state = inviteStateOf(invite, nowMs);
  const left = () => durationText(Date.parse(invite.expires_at) - nowMs);
  return (
    <State {...looks[state]}>
      {state === 'pending' ? inviteStates.pending(left()) : inviteStates[state]}
    </State>
  );
}

type MenuParts = { because: string | null; nowMs: number; onRevoke(invite: Invite): void };

const menuOf = ({ because, nowMs, onRevoke }: MenuParts) =>
  menuColumn<Invite>(texts.menus, (invite) =>
    isPending(invite, nowMs) ? (
      <Menu
        label={texts.menu(invite.email)}
        groups={[
          [
            {
              label: texts.revoke,
              icon: 'stop',
              danger: true,
              because,
              onSelect: () => onRevoke(invite),
            },
          ],
        ]}
      />
    ) : null,
  );

function RevokeDialog({ invite, onClose }: { invite: Invite; onClose(): void }) {
  const { revoking } = texts;
  const revoke = useChange('POST /v1/invites/{id}/revoke', { refreshes: STALE });
  const confirm = () =>
    revoke.mutate({ params: { id: invite.id } }, thenClose(onClose, revoking.done(invite.email)));
  return (
    <Confirm
      title={revoking.title(invite.email)}
      action={revoking.action}
      change={revoke}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{revoking.text}</p>
    </Confirm>
  );
}
