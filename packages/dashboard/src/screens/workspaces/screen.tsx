// The user's workspaces. The user can open one or create another.
import { type Membership, useMe } from '../../api/me.ts';
import { useApi, useChange } from '../../api/query.ts';
import { paths } from '../../paths.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { en } from '../../texts/en.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { texts } from './texts.ts';
import styles from './workspaces.module.css';

export function Screen() {
  const me = useMe();
  const found = (
    <LinkButton kind="primary" icon="plus" to={paths.newWorkspace}>
      {texts.create}
    </LinkButton>
  );
  const isEmpty = me.data?.memberships.length === 0;
  return (
    <Page title={texts.title} lead={texts.lead} actions={isEmpty ? null : found}>
      <Loaded query={me} failed={texts.failed} skeleton={<SkeletonRows rows={3} />}>
        {({ memberships, user }) => (
          <>
            {!user.email_verified && <Unverified email={user.email} />}
            {memberships.length === 0 ? (
              <Empty icon="overview" title={texts.emptyTitle} action={found}>
                {texts.empty}
              </Empty>
            ) : (
              <List memberships={memberships} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const List = ({ memberships }: { memberships: readonly Membership[] }) => (
  <ul aria-label={texts.list} className={styles.list}>
    {memberships.map(({ workspace_id, name, slug, role }) => (
      <li key={workspace_id}>
        <Link to={paths.workspace(slug)} className={styles.workspace}>
          <span className={styles.initial} aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className={styles.names}>
            <strong>{name}</strong>
            <code>{slug}</code>
          </span>
          <span className={styles.role}>{en.roles[role]}</span>
          <Icon name="right" />
        </Link>
      </li>
    ))}
  </ul>
);

function Unverified({ email }: { email: string }) {
  const deployment = useApi('GET /v1/deployment', {});
  const again = useChange('POST /v1/auth/email_verifications');
  return (
    <div className={styles.notice}>
      <Icon name="warning" />
      <p>
        {again.isSuccess ? texts.sent : texts.unverified(email)}
        {deployment.data?.mail === 'file' && ` ${texts.mailFiles}`}
      </p>
      {!again.isSuccess && (
        <Button small busy={again.isPending} onClick={() => again.mutate({})}>
          {texts.again}
        </Button>
      )}
      {again.error && <Problem error={again.error} />}
    </div>
  );
}
