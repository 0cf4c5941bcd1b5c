// The page for a single object, where it can be edited or deleted.
import { type ComponentType, type ReactNode, useState } from 'react';
import { navigate } from '../../router/location.ts';
import { Gone, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { DeleteDialog } from '../deletion/delete-dialog.tsx';

type Texts = Readonly<
  Record<'loading' | 'failed' | 'edit' | 'remove' | 'goneTitle' | 'gone', string>
>;

type Props<T> = {
  kind: 'project' | 'tenant';
  /** The data is null if there is no object with this ID. */
  query: { data: T | null | undefined; error: Error | null; refetch(): unknown };
  nameOf(object: T): string;
  texts: Texts;
  /** The screen that lists all objects of this kind. */
  list: { label: string; toList: string; to: string };
  Edit: ComponentType<{ of: T; onClose(): void }>;
  children(object: T): ReactNode;
};

export function ResourcePage<T extends { id: string }>(props: Props<T>) {
  const { kind, query, nameOf, texts, list, Edit, children } = props;
  const scope = useScope();
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const gone = (
    <Gone title={texts.goneTitle} action={<LinkButton to={list.to}>{list.toList}</LinkButton>}>
      {texts.gone}
    </Gone>
  );
  return (
    <Page
      title={query.data ? nameOf(query.data) : texts.loading}
      crumbs={[list]}
      actions={
        query.data &&
        scope.mayChange && (
          <>
            <Button icon="edit" onClick={() => setOpen('edit')}>
              {texts.edit}
            </Button>
            <Button kind="danger" icon="trash" onClick={() => setOpen('delete')}>
              {texts.remove}
            </Button>
          </>
        )
      }
    >
      <ReadOnly />
      <Loaded query={query} failed={texts.failed} skeleton={<SkeletonRows />} gone={gone}>
        {(known) =>
          known === null ? (
            gone
          ) : (
            <>
              {children(known)}
              {open === 'edit' && <Edit of={known} onClose={close} />}
              {open === 'delete' && (
                <DeleteDialog
                  kind={kind}
                  id={known.id}
                  name={nameOf(known)}
                  onClose={close}
                  onDeleted={() => navigate(list.to)}
                />
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
