// Creates the objects that steps use, before the first fault.
import { PASSWORD } from '@keyrail/testing/people.ts';
import { BOOTSTRAP_TOKEN, BUDGET } from './bed/bed.ts';
import { textOf } from './history.ts';
import { tokenFor } from './steps/people.ts';
import { ORIGIN } from './steps/tenants.ts';
import { must, type Person, type World } from './world.ts';

const SETUP = 'setup';
const TENANTS = 3;

const POST = (path: string, body: object, more: object = {}) =>
  ({ kind: 'setup', method: 'POST', path, body, ...more }) as const;

/** Creates a user with a verified email address and a session. */
async function newPerson(world: World, name: string): Promise<Person> {
  const email = `${name}-${world.fresh()}@example.com`;
  const call = (path: string, body: object) => must(world, SETUP, POST(path, body, { token: '' }));
  await call('/v1/auth/users', { email, password: PASSWORD });
  const token = await tokenFor(world, { to: email, kind: 'verify_email', seen: 0 });
  await call('/v1/auth/email_verifications/consume', { token });
  const session = await call('/v1/auth/sessions', { email, password: PASSWORD });
  return { email, userId: textOf(session, 'user', 'id'), token: textOf(session, 'token') };
}

async function newWorkspace(world: World, token: string) {
  const slug = `soak-${world.fresh()}`;
  const founded = await must(world, SETUP, POST('/v1/workspaces', { name: slug, slug }, { token }));
  const secretKey = textOf(founded, 'secret_key', 'key');
  const made = (path: string, body: object) =>
    must(world, SETUP, POST(path, body, { token: secretKey }));
  return { id: textOf(founded, 'workspace', 'id'), secretKey, made };
}

/** Creates all objects. `world` must already have its API addresses and its recorder. */
export async function prepare(world: World): Promise<void> {
  const founder = await newPerson(world, 'first');
  const second = await newPerson(world, 'second');
  const own = await newWorkspace(world, founder.token);
  const invite = await own.made('/v1/invites', { email: second.email, role: 'owner' });
  const accept = { token: textOf(invite, 'token') };
  await must(world, SETUP, POST('/v1/auth/invites/accept', accept, { token: second.token }));
  world.workspaceId = own.id;
  world.secretKey = own.secretKey;
  world.owners = [founder, second];
  world.forgetful = await newPerson(world, 'forgetful');
  const test = await own.made('/v1/secret_keys', { env: 'test', name: 'test' });
  world.testKey = textOf(test, 'key');
  world.testKeyId = textOf(test, 'id');
  const project = await own.made('/v1/projects', { name: 'Orders', slug: 'orders' });
  world.projectId = textOf(project, 'id');
  for (let n = 0; n < TENANTS; n += 1) {
    const tenant = await own.made('/v1/tenants', { external_id: `tenant-${n}` });
    world.tenants.push(textOf(tenant, 'id'));
  }
  await must(world, SETUP, {
    kind: 'setup',
    method: 'PATCH',
    path: '/v1/workspace',
    body: { embed_origins: [ORIGIN] },
  });
  await prepareOthers(world);
}

/**
 * Creates a workspace that will exceed its telemetry budget, and another that only its own members
 * can access.
 */
async function prepareOthers(world: World): Promise<void> {
  const canary = `canary-${world.fresh()}`;
  const objectsIn = async (name: string) => {
    const workspace = await newWorkspace(world, BOOTSTRAP_TOKEN);
    const project = await workspace.made('/v1/projects', { name, slug: 'orders' });
    const tenant = await workspace.made('/v1/tenants', { external_id: name, name });
    const projectId = textOf(project, 'id');
    const tenantId = textOf(tenant, 'id');
    const body = { project_id: projectId, tenant_id: tenantId, env: 'live', name };
    const key = await workspace.made('/v1/keys', body);
    return { secretKey: workspace.secretKey, projectId, tenantId, keyId: textOf(key, 'id') };
  };
  world.spender = await objectsIn('spender');
  world.budget = BUDGET;
  const foreign = await objectsIn(canary);
  const { projectId, tenantId, keyId } = foreign;
  const paths = [`/v1/projects/${projectId}`, `/v1/tenants/${tenantId}`, `/v1/keys/${keyId}`];
  world.foreign = { canary, paths: [...paths, `/v1/keys/${keyId}/usage`] };
}
