// A card for revoking all of the tenant's embed tokens.
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { useScope } from '../../shell/scope.ts';
import { Card } from '../../ui/content/card.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { thenClose } from '../../ui/feedback/toast.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { texts } from './texts.ts';
import type { Tenant } from './types.ts';

export function Embed({ tenant }: { tenant: Tenant }) {
  const { mayChange } = useScope();
  const [isOpen, setOpen] = useState(false);
  const end = useChange('POST /v1/tenants/{id}/embed_tokens/revoke', {
    refreshes: ['/v1/tenants', '/v1/audit_logs'],
  });
  const confirm = () =>
    end.mutate(
      { params: { id: tenant.id } },
      thenClose(() => setOpen(false), texts.ended),
    );
  return (
    <Card
      title={texts.embed}
      lead={texts.embedLead}
      aside={
        mayChange && (
          <Button small onClick={() => setOpen(true)}>
            {texts.endTokens}
          </Button>
        )
      }
    >
      <Facts facts={[{ name: texts.epoch, value: tenant.embed_epoch }]} />
      {isOpen && (
        <Confirm
          title={texts.endTitle(tenant.name ?? tenant.external_id)}
          action={texts.endAction}
          change={end}
          onConfirm={confirm}
          onClose={() => setOpen(false)}
        >
          <p>{texts.endMeaning}</p>
        </Confirm>
      )}
    </Card>
  );
}
