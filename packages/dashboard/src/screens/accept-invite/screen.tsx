// An invitation's details, shown before the user accepts it.
import { type Answer, KeyrailError } from '@keyrail/client';
import { useMe } from '../../api/me.ts';
import { useChange, useRefresh, useSend } from '../../api/query.ts';
import { useSession } from '../../api/session.ts';
import { sendToTabs } from '../../api/tabs.ts';
import { useTokenOnce } from '../../api/use-token-once.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import { Panel } from '../../shell/panel.tsx';
import { en } from '../../texts/en.ts';
import { SectionFacts } from '../../ui/content/section.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import styles from './accept-invite.module.css';
import { texts } from './texts.ts';

type Preview = Answer<'POST /v1/auth/invites/preview'>;

const back = { next: '/accept-invite' };
const home = (
  <LinkButton kind="primary" wide to={paths.workspaces}>
    {texts.go}
  </LinkButton>
);

export function Screen() {
  const preview = useChange('POST /v1/auth/invites/preview');
  const token = useTokenOnce(preview.mutate);
  if (token === null) {
    return (
      <Panel title={texts.failed} lead={texts.noToken}>
        {home}
      </Panel>
    );
  }
  if (preview.data) return <Invitation token={token} invite={preview.data} />;
  if (preview.error) return <Failed error={preview.error} />;
  return (
    <Panel title={texts.title}>
      <p role="status">{texts.checking}</p>
    </Panel>
  );
}

const isRefused = (error: Error): boolean =>
  error instanceof KeyrailError && error.code === 'invalid_token';

const Failed = ({ error }: { error: Error }) => (
  <Panel title={texts.failed} lead={isRefused(error) ? texts.failedText : null}>
    {isRefused(error) ? home : <Problem error={error} />}
  </Panel>
);

type Props = { token: string; invite: Preview };

function Invitation({ token, invite }: Props) {
  const { status } = useSession();
  return (
    <Panel
      title={texts.joinTitle(invite.workspace_name)}
      lead={texts.lead}
      foot={
        status === 'in' ? (
          <Link to={paths.workspaces}>{texts.decline}</Link>
        ) : (
          <>
            {texts.noAccount}{' '}
            <Link to={paths.signUp} search={back}>
              {texts.signUp}
            </Link>
          </>
        )
      }
    >
      <SectionFacts
        facts={[
          { label: texts.workspace, value: invite.workspace_name },
          { label: texts.role, value: en.roles[invite.role] },
          { label: texts.invited, value: invite.email },
          { label: texts.ends, value: <Time at={invite.expires_at} /> },
        ]}
      />
      <p className={styles.quiet}>{texts.roles[invite.role]}</p>
      {status === 'in' ? (
        <Decide token={token} />
      ) : (
        <LinkButton kind="primary" wide to={paths.signIn} search={back}>
          {texts.signIn}
        </LinkButton>
      )}
    </Panel>
  );
}

function Decide({ token }: { token: string }) {
  const me = useMe();
  const send = useSend();
  const refresh = useRefresh();
  const accept = useChange('POST /v1/auth/invites/accept');
  const isMember = accept.error instanceof KeyrailError && accept.error.code === 'conflict';
  const join = async (workspaceId: string) => {
    const { memberships } = await send('GET /v1/auth/me', {});
    const joined = memberships.find((one) => one.workspace_id === workspaceId);
    await refresh('/v1/auth/me');
    sendToTabs({ kind: 'person-changed' });
    await navigate(joined ? paths.workspace(joined.slug) : paths.workspaces);
  };
  if (isMember) {
    return (
      <>
        <p role="status">
          {texts.member}. {texts.memberText}
        </p>
        {home}
      </>
    );
  }
  if (!me.data) return me.error && <Problem error={me.error} onRetry={me.refetch} />;
  const { email, email_verified: isVerified } = me.data.user;
  if (!isVerified) return <Unverified email={email} />;
  return (
    <>
      {accept.error && <Problem error={accept.error} />}
      <Button
        kind="primary"
        wide
        busy={accept.isPending}
        onClick={() =>
          accept.mutate(
            { body: { token } },
            { onSuccess: ({ workspace_id }) => void join(workspace_id) },
          )
        }
      >
        {texts.accept}
      </Button>
      <p className={styles.quiet}>{texts.as(email)}</p>
    </>
  );
}

function Unverified({ email }: { email: string }) {
  const again = useChange('POST /v1/auth/email_verifications');
  return (
    <>
      <p className={styles.needs}>{again.isSuccess ? texts.sent : texts.unverified(email)}</p>
      {again.error && <Problem error={again.error} />}
      {!again.isSuccess && (
        <Button wide busy={again.isPending} onClick={() => again.mutate({})}>
          {texts.again}
        </Button>
      )}
    </>
  );
}
