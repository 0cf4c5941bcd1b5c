// One project: how to connect to it, its limits, its nodes and its traffic.
import { useState } from 'react';
import { useApi } from '../../api/query.ts';
import { DeleteDialog } from '../../parts/deletion/delete-dialog.tsx';
import { useParams } from '../../match.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import { Gone, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { EditProject } from './edit-project.tsx';
import { Parts } from './parts.tsx';
import { texts } from './texts.ts';

export function Screen() {
  const scope = useScope();
  const { project: slug } = useParams('project');
  const found = useApi('GET /v1/projects', { query: { slug } });
  const project = found.data?.data[0];
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const crumbs = [{ label: texts.projects, to: paths.projects(scope) }];
  return (
    <Page
      title={project?.name ?? texts.loading}
      crumbs={crumbs}
      actions={
        project &&
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
      <Loaded query={found} failed={texts.failed} skeleton={<SkeletonRows />} gone={<NoProject />}>
        {({ data: [known] }) =>
          known ? (
            <>
              <Parts project={known} />
              {open === 'edit' && <EditProject project={known} onClose={close} />}
              {open === 'delete' && (
                <DeleteDialog
                  kind="project"
                  id={known.id}
                  name={known.name}
                  onClose={close}
                  onDeleted={() => navigate(paths.projects(scope))}
                />
              )}
            </>
          ) : (
            <NoProject />
          )
        }
      </Loaded>
    </Page>
  );
}

function NoProject() {
  const scope = useScope();
  const action = <LinkButton to={paths.projects(scope)}>{texts.toProjects}</LinkButton>;
  return (
    <Gone title={texts.goneTitle} action={action}>
      {texts.gone}
    </Gone>
  );
}
