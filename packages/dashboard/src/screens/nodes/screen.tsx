// All nodes, grouped by project, with their policy versions.
import type { Item } from '@keyrail/client';
import { useApi, useList } from '../../api/query.ts';
import { Connect } from '../../parts/connect/connect.tsx';
import { NodesOf } from '../../parts/nodes/nodes-of.tsx';
import { texts } from '../../parts/nodes/texts.ts';
import { paths } from '../../paths.ts';
import { asQuery, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { useScope } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { Card } from '../../ui/content/card.tsx';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Empty } from '../../ui/feedback/empty.tsx';
import styles from './nodes.module.css';

const EVERY_MS = 5000;
/**
 * The number of projects per page. The API lists one project's nodes at a time, so each project on
 * the page needs a separate request.
 */
const PROJECTS_PAGE = 20;

type Project = Item<'GET /v1/projects'>;

export function Screen() {
  const projects = useList('GET /v1/projects', { query: { limit: PROJECTS_PAGE } });
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Loaded query={asQuery(projects)} failed={texts.failedProjects}>
        {(pages) => {
          const [first, ...others] = pages.flat();
          if (!first) return <NoProject />;
          return (
            <>
              <Known projects={[first, ...others]} first={first} />
              {projects.hasMore && (
                <div>
                  <Button busy={projects.isLoadingMore} onClick={projects.loadMore}>
                    {en.showMore}
                  </Button>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function NoProject() {
  const scope = useScope();
  const action = (
    <LinkButton kind="primary" to={paths.projects(scope)}>
      {texts.projects}
    </LinkButton>
  );
  return (
    <Empty icon="project" title={texts.noProjectTitle} action={action}>
      {texts.noProject}
    </Empty>
  );
}

/** If there are no nodes, the first project shows how to connect one. */
function Known({ projects, first }: { projects: readonly Project[]; first: Project }) {
  const { env } = useScope();
  const summary = useApi('GET /v1/workspace/summary', { query: { env } }, { everyMs: EVERY_MS });
  return (
    <Loaded query={summary} failed={texts.failed}>
      {({ nodes: { current, behind, silent } }) =>
        current + behind + silent === 0 ? (
          <NoNode project={first} />
        ) : (
          <div className={styles.projects}>
            {projects.map((project) => (
              <NodesOf key={project.id} project={project} everyMs={EVERY_MS} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function NoNode({ project }: { project: Project }) {
  const scope = useScope();
  return (
    <>
      <Empty icon="node" title={texts.emptyTitle}>
        {texts.empty}
      </Empty>
      <Card title={texts.how(project.name)} lead={<Secret to={paths.secretKeys(scope)} />}>
        <Connect projectId={project.id} />
      </Card>
    </>
  );
}

const Secret = ({ to }: { to: string }) => (
  <>
    {texts.secret} <Link to={to}>{texts.secretKeys}</Link>
  </>
);
