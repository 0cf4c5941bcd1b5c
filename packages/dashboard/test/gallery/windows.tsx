// Dialogs, sheets, confirmations and toasts, opened by buttons.
import { useState } from 'react';
import { Button } from '../../src/ui/controls/button.tsx';
import { Field } from '../../src/ui/controls/field.tsx';
import { Input } from '../../src/ui/controls/input.tsx';
import { toast } from '../../src/ui/feedback/toast.tsx';
import { Confirm } from '../../src/ui/overlays/confirm.tsx';
import { Dialog, Sheet } from '../../src/ui/overlays/dialog.tsx';
import { Menu } from '../../src/ui/overlays/menu.tsx';
import { Block } from './block.tsx';

export function Windows() {
  const [open, setOpen] = useState<'dialog' | 'sheet' | 'confirm' | null>(null);
  const close = () => setOpen(null);
  return (
    <Block name="Dialog, Sheet, Confirm, Toast">
      <Button onClick={() => setOpen('dialog')}>Open dialog</Button>
      <Button onClick={() => setOpen('sheet')}>Open sheet</Button>
      <Button onClick={() => setOpen('confirm')}>Open confirmation</Button>
      <Button onClick={() => toast('Backend disabled.')}>Show toast</Button>
      {open === 'dialog' && (
        <Dialog
          title="Rename key"
          onClose={close}
          onSubmit={close}
          actions={
            <>
              <Button onClick={close}>Cancel</Button>
              <Button type="submit" kind="primary">
                Rename key
              </Button>
            </>
          }
        >
          <Field label="Name">{(control) => <Input {...control} defaultValue="Backend" />}</Field>
          <div>
            <Menu
              label="More about Backend"
              groups={[[{ label: 'Copy ID', icon: 'copy', onSelect: close }]]}
            />
          </div>
        </Dialog>
      )}
      {open === 'sheet' && (
        <Sheet title="Edit Backend" onClose={close} actions={<Button onClick={close}>Done</Button>}>
          <p>The details of an object, beside the page that lists it.</p>
        </Sheet>
      )}
      {open === 'confirm' && (
        <Confirm
          title="Revoke Backend?"
          action="Revoke live key"
          typed="Backend"
          onClose={close}
          onConfirm={close}
        >
          <p>Used 38 times in the last hour. Nodes reject it within a second.</p>
        </Confirm>
      )}
    </Block>
  );
}
