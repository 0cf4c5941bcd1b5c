// The page for one project: how to connect nodes, and its limits, nodes and traffic.
import { useApi } from '../../api/query.ts';
import { useParams } from '../../match.ts';
import { ResourcePage } from '../../parts/resources/resource-page.tsx';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { EditProject } from './edit-project.tsx';
import { Parts } from './parts.tsx';
import { texts } from './texts.ts';

export function Screen() {
  const scope = useScope();
  const { project: slug } = useParams('project');
  const { data: found, error, refetch } = useApi('GET /v1/projects', { query: { slug } });
  return (
    <ResourcePage
      kind="project"
      query={{ data: found && (found.data[0] ?? null), error, refetch }}
      nameOf={({ name }) => name}
      texts={texts}
      list={{ label: texts.projects, toList: texts.toProjects, to: paths.projects(scope) }}
      Edit={EditProject}
    >
      {(known) => <Parts project={known} />}
    </ResourcePage>
  );
}
