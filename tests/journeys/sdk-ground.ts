// For tests with nodes: creates a workspace and a project in a deployment, and acts as the vendor
// there.
import { BOOTSTRAP_TOKEN, type Running } from './deployment.ts';

export type Propagation = {
  complete: boolean;
  total_nodes: number;
  acked_nodes: number;
  incomplete_reason: string | null;
  silent_nodes: number;
  nodes: { node_id: string; acked: boolean }[];
};

export type Ground = {
  secretKey: string;
  projectId: string;
  options(url: string): KeyrailOptions;
  issue(server: Running, more?: object): Promise<{ id: string; key: string }>;
  revoke(server: Running, id: string): Promise<Propagation>;
};

export async function newGround(server: Running): Promise<Ground> {
  const slug = `acme-${crypto.randomUUID().slice(0, 18)}`;
  const founded = await server.as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', { name: 'Acme', slug });
  const secretKey = String(Object(founded.secret_key).key);
  const as = (running: Running) => running.as(secretKey);
  const project = await as(server)('POST /v1/projects', { name: 'Orders', slug: 'orders' });
  const tenant = await as(server)('POST /v1/tenants', { external_id: 'a' });
  const projectId = String(project.id);
  const tenant_id = String(tenant.id);
  return {
    secretKey,
    projectId,
    options: (url) => ({ url, secretKey, projectId }),
    issue: async (running, more = {}) => {
      const body = { project_id: projectId, tenant_id, env: 'live', ...more };
      const made = await as(running)('POST /v1/keys', body);
      return { id: String(made.id), key: String(made.key) };
    },
    revoke: async (running, id) => {
      const answer = await as(running)('POST /v1/keys/{id}/revoke', { id, wait: 'true' });
      return Object(answer.propagation);
    },
  };
}

import type { KeyrailOptions } from '../../packages/sdk/src/api/options.ts';
