// Verifies an email address when the user opens the emailed link. If that fails, the screen says
// why and offers a new link.
import { useChange } from '../../api/query.ts';
import { useSession } from '../../api/session.ts';
import { useTokenOnce } from '../../api/use-token-once.ts';
import { paths } from '../../paths.ts';
import { Panel } from '../../shell/panel.tsx';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/feedback/problem.tsx';
import { texts } from './texts.ts';

export function Screen() {
  const verify = useChange('POST /v1/auth/email_verifications/consume', {
    refreshes: ['/v1/auth/me'],
  });
  const token = useTokenOnce(verify.mutate);
  if (verify.isSuccess) {
    return <Verified />;
  }
  if (token !== null && !verify.isError) {
    return (
      <Panel title={texts.title}>
        <p role="status">{texts.checking}</p>
      </Panel>
    );
  }
  return (
    <Panel title={texts.failed} lead={token === null ? texts.noToken : texts.failedText}>
      {verify.error && <Problem error={verify.error} />}
      <AnotherLink />
    </Panel>
  );
}

/** The link may be opened in a browser without a session. */
function Verified() {
  const isOut = useSession().status === 'out';
  const { text, action } = texts.next[isOut ? 'out' : 'in'];
  return (
    <Panel title={texts.done} lead={text}>
      <LinkButton
        kind="primary"
        wide
        to={isOut ? paths.signIn : paths.workspaces}
        search={isOut ? { next: paths.workspaces } : {}}
      >
        {action}
      </LinkButton>
    </Panel>
  );
}

function AnotherLink() {
  const { status } = useSession();
  const again = useChange('POST /v1/auth/email_verifications');
  if (status !== 'in') {
    return (
      <LinkButton wide to={paths.signIn} search={{ next: paths.workspaces }}>
        {texts.signIn}
      </LinkButton>
    );
  }
  return (
    <>
      <Button wide busy={again.isPending} onClick={() => again.mutate({})}>
        {texts.again}
      </Button>
      {again.isSuccess && <p role="status">{texts.sent}</p>}
      {again.error && <Problem error={again.error} />}
    </>
  );
}
