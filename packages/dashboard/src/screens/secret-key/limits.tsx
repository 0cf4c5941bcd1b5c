// The projects and networks that a secret key is limited to.
import { LIST_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import { useApi } from '../../api/query.ts';
import type { SecretKey } from '../../parts/secret-key/secret-key.ts';
import { paths } from '../../paths.ts';
import { useScope } from '../../shell/scope.ts';
import { Card } from '../../ui/content/card.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import styles from './secret-key.module.css';
import { texts } from './texts.ts';

export function Limits({ of: { project_ids: ids, networks } }: { of: SecretKey }) {
  const { limits } = texts;
  return (
    <Card title={limits.title}>
      <Facts
        facts={[
          {
            name: limits.projects,
            value: ids === null ? limits.allProjects : <Projects ids={ids} />,
          },
          {
            name: limits.networks,
            value:
              networks === null ? (
                limits.anyNetwork
              ) : (
                <ul className={styles.list}>
                  {networks.map((one) => (
                    <li key={one}>
                      <code translate="no">{one}</code>
                    </li>
                  ))}
                </ul>
              ),
          },
        ]}
      />
    </Card>
  );
}

function Projects({ ids }: { ids: readonly string[] }) {
  const scope = useScope();
  const query = { id: [...ids], limit: LIST_LIMIT_MAX };
  const projects = useApi('GET /v1/projects', { query });
  if (!projects.data) return null;
  const known = new Map(projects.data.data.map((project) => [project.id, project]));
  return (
    <ul className={styles.list}>
      {ids.map((id) => {
        const project = known.get(id);
        return (
          <li key={id}>
            {project ? (
              <Link to={paths.project({ ...scope, project: project.slug })}>{project.name}</Link>
            ) : (
              texts.limits.deleted
            )}
          </li>
        );
      })}
    </ul>
  );
}
