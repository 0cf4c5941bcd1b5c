// A workspace's members and invitations.
import { useState } from 'react';
import { useMe } from '../../api/me.ts';
import { useList } from '../../api/query.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { State } from '../../ui/content/state.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { menuColumn } from '../../ui/tables/menu-column.ts';
import { type Column, Table } from '../../ui/tables/table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { Invites } from './invites.tsx';
import { LastOwnerDialog, RoleDialog } from './member-dialogs.tsx';
import styles from './members.module.css';
import { isLastOwner, type Member, nameOf } from './people.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { texts } from './texts.ts';

const PAGE_ROWS = 100;

const dialogs = { role: RoleDialog, remove: RemoveDialog, last: LastOwnerDialog };

type Open = { kind: keyof typeof dialogs; member: Member };

export function Screen() {
  const { mayChange, isOwner } = useScope();
  const [isInviting, setInviting] = useState(false);
  const [open, setOpen] = useState<Open | null>(null);
  const selfId = useMe().data?.user.id ?? null;
  const members = useList('GET /v1/members', { query: { limit: PAGE_ROWS } });
  const invite = mayChange && (
    <Button
      kind="primary"
      icon="plus"
      data-create
      because={isOwner ? null : texts.ownersOnly}
      onClick={() => setInviting(true)}
    >
      {texts.invite}
    </Button>
  );
  const Opened = open && dialogs[open.kind];
  return (
    <Page title={texts.title} lead={texts.lead} actions={invite} wide>
      <ReadOnly />
      <Loaded query={asQuery(members)} failed={texts.failed} skeleton={<SkeletonRows rows={4} />}>
        {(pages) => (
          <>
            <section className={styles.section} aria-label={texts.people}>
              <h2>{texts.people}</h2>
              <Table
                label={texts.people}
                columns={columnsOf({ pages, selfId, mayChange, isOwner, onOpen: setOpen })}
                pages={pages}
                rowKey={({ user_id }) => user_id}
                paging={members}
              />
            </section>
            <Invites members={pages.flat()} />
          </>
        )}
      </Loaded>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {open && Opened && (
        <Opened
          member={open.member}
          isSelf={open.member.user_id === selfId}
          onClose={() => setOpen(null)}
        />
      )}
    </Page>
  );
}

type Shown = {
  pages: readonly (readonly Member[])[];
  selfId: string | null;
  mayChange: boolean;
  isOwner: boolean;
  onOpen(open: Open): void;
};

// biome-ignore format: one line for each column
const columnsOf = (shown: Shown): Column<Member>[] => [
  { id: 'person', title: texts.columns.person, width: 'minmax(180px, 2fr)', card: 'name', cell: (member) => <Person member={member} isSelf={member.user_id === shown.selfId} /> },
  { id: 'role', title: texts.columns.role, width: '96px', card: 'fact', cell: ({ role }) => en.roles[role] },
  { id: 'state', title: texts.columns.state, width: 'minmax(150px, 1fr)', card: 'state', cell: ({ email_verified }) => <AddressState isVerified={email_verified} /> },
  { id: 'joined', title: texts.columns.joined, width: '96px', card: 'fact', cell: ({ created_at }) => <Time at={created_at} /> },
  ...(shown.mayChange ? [menuOf(shown)] : []),
];

const Person = ({ member, isSelf }: { member: Member; isSelf: boolean }) => (
  <span className={styles.person}>
    <span className={styles.initial} aria-hidden="true">
      {nameOf(member).slice(0, 1).toUpperCase()}
    </span>
    <span className={styles.names}>
      <span>
        {nameOf(member)}
        {isSelf && <span className={styles.you}> {texts.you}</span>}
      </span>
      {member.name !== null && <small>{member.email}</small>}
    </span>
  </span>
);

const AddressState = ({ isVerified }: { isVerified: boolean }) =>
  isVerified ? (
    <State tone="good" shape="full">
      {texts.verified}
    </State>
  ) : (
    <State tone="warn" shape="ring">
      {texts.unverified}
    </State>
  );

/** The last owner gets an explanation instead of an error. */
function menuOf({ pages, selfId, isOwner, onOpen }: Shown) {
  const because = isOwner ? null : texts.ownersOnly;
  const all = pages.flat();
  return menuColumn<Member>(texts.menus, (member) => {
    const isLast = isLastOwner(member, all);
    const select = (kind: Open['kind']) => () => onOpen({ kind: isLast ? 'last' : kind, member });
    const leaves = member.user_id === selfId ? texts.leave : texts.remove;
    return (
      <Menu
        label={texts.menu(nameOf(member))}
        groups={[
          [{ label: texts.changeRole, icon: 'edit', because, onSelect: select('role') }],
          [{ label: leaves, icon: 'trash', danger: true, because, onSelect: select('remove') }],
        ]}
      />
    );
  });
}
