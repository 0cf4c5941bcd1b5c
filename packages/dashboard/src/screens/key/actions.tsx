// The actions for a key, each with its own button.

import { type ApiKey, whyNotRotated } from '../../parts/key/key.ts';
import { texts } from '../../parts/key/texts.ts';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';

export type Act = 'edit' | 'rotate' | 'disable' | 'enable' | 'revoke';

type Props = { of: ApiKey; onAct(act: Act): void };

export function KeyActions({ of: key, onAct }: Props) {
  const scope = useScope();
  const { actions } = texts;
  const explain = (
    <LinkButton kind="quiet" icon="explain" to={paths.explain(scope)} search={{ key_id: key.id }}>
      {actions.explain}
    </LinkButton>
  );
  if (!scope.mayChange) return explain;
  if (key.revoked_at !== null) {
    return (
      <>
        {explain}
        <LinkButton icon="plus" to={paths.newKey(scope)} search={{ like: key.id }}>
          {actions.like}
        </LinkButton>
      </>
    );
  }
  const isDisabled = key.disabled_at !== null;
  return (
    <>
      {explain}
      <Button icon="edit" onClick={() => onAct('edit')}>
        {actions.edit}
      </Button>
      <Button icon="rotate" because={whyNotRotated(key)} onClick={() => onAct('rotate')}>
        {actions.rotate}
      </Button>
      <Button
        icon={isDisabled ? 'check' : 'pause'}
        onClick={() => onAct(isDisabled ? 'enable' : 'disable')}
      >
        {isDisabled ? actions.enable : actions.disable}
      </Button>
      <Button kind="danger" icon="stop" onClick={() => onAct('revoke')}>
        {actions.revoke(key.env)}
      </Button>
    </>
  );
}
