// The screen for one secret key: what it can do, what it has used, and its limits.
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/query.ts';
import { useParams } from '../../match.ts';
import { useSuccessorId } from '../../parts/audit-log/use-successor-id.ts';
import { RevokeDialog, RotateDialog } from '../../parts/secret-key/end-dialogs.tsx';
import { NarrowDialog } from '../../parts/secret-key/narrow-dialog.tsx';
import { RenameDialog } from '../../parts/secret-key/rename-dialog.tsx';
import type { SecretKey } from '../../parts/secret-key/secret-key.ts';
import { texts as keyTexts } from '../../parts/secret-key/texts.ts';
import { paths } from '../../paths.ts';
import { GoTo } from '../../shell/go-to.tsx';
import { Gone, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { KeyState } from '../../ui/content/key-state.tsx';
import { Time } from '../../ui/content/time.tsx';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { SkeletonCards } from '../../ui/feedback/skeleton.tsx';
import { Abilities } from './abilities.tsx';
import { KeyFacts } from './facts.tsx';
import { Limits } from './limits.tsx';
import styles from './secret-key.module.css';
import { texts } from './texts.ts';

const dialogs = {
  rename: RenameDialog,
  narrow: NarrowDialog,
  rotate: RotateDialog,
  revoke: RevokeDialog,
};

type Act = keyof typeof dialogs;

export function Screen() {
  const scope = useScope();
  const { secretKeyId: id } = useParams('secretKey');
  const key = useApi('GET /v1/secret_keys/{id}', { params: { id } });
  const successorId = useSuccessorId('secret_key', id);
  const list = paths.secretKeys(scope);
  const [open, setOpen] = useState<{ act: Act; secretKey: SecretKey } | null>(null);
  if (key.data && key.data.env !== scope.env) {
    return <GoTo href={paths.secretKey({ ...scope, env: key.data.env, secretKeyId: id })} />;
  }
  const gone = (
    <Gone title={texts.gone.title} action={<LinkButton to={list}>{texts.gone.action}</LinkButton>}>
      {texts.gone.text}
    </Gone>
  );
  const Opened = open && dialogs[open.act];
  return (
    <Page
      title={key.data ? (key.data.name ?? keyTexts.unnamed) : texts.loading}
      beside={key.data && <KeyState of={key.data} isRotated={successorId !== null} />}
      crumbs={[{ label: texts.crumb, to: list }]}
      actions={
        key.data && (
          <Actions of={key.data} onAct={(act, secretKey) => setOpen({ act, secretKey })} />
        )
      }
    >
      <ReadOnly />
      <Loaded
        query={key}
        failed={texts.failed}
        skeleton={<SkeletonCards cards={3} height={160} />}
        gone={gone}
      >
        {(known) => (
          <>
            <Ended of={known} />
            <div className={styles.columns}>
              <div className={styles.column}>
                <Abilities of={known} />
              </div>
              <div className={styles.column}>
                <KeyFacts of={known} successorId={successorId} />
                <Limits of={known} />
              </div>
            </div>
          </>
        )}
      </Loaded>
      {open && Opened && <Opened secretKey={open.secretKey} onClose={() => setOpen(null)} />}
    </Page>
  );
}

type ActionsProps = { of: SecretKey; onAct(act: Act, key: SecretKey): void };

function Actions({ of: key, onAct }: ActionsProps): ReactNode {
  const { mayChange } = useScope();
  if (!mayChange || key.revoked_at !== null) return null;
  return (
    <>
      <Button icon="edit" onClick={() => onAct('rename', key)}>
        {keyTexts.rename}
      </Button>
      <Button icon="settings" onClick={() => onAct('narrow', key)}>
        {keyTexts.narrow}
      </Button>
      <Button icon="rotate" onClick={() => onAct('rotate', key)}>
        {keyTexts.rotate}
      </Button>
      <Button kind="danger" icon="stop" onClick={() => onAct('revoke', key)}>
        {keyTexts.revoking.action(key.env)}
      </Button>
    </>
  );
}

/** Says why the key doesn't work, or will soon stop working. */
function Ended({ of: key }: { of: SecretKey }) {
  const { ended } = texts;
  const isRevoked = key.revoked_at !== null;
  const at = key.revoked_at ?? key.quarantined_at;
  const reason = isRevoked ? key.revoked_reason : key.quarantine_reason;
  if (at === null) return null;
  return (
    <div className={styles.ended}>
      <Icon name={isRevoked ? 'stop' : 'warning'} />
      <p>
        <strong>{isRevoked ? ended.revoked : ended.quarantined}</strong> <Time at={at} />
        {reason !== null && `. ${ended.reason(reason)}`}
      </p>
    </div>
  );
}
