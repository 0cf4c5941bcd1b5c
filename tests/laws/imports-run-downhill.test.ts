import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { importFaults } from './import-rules.ts';
import { list, source, sources } from './tree.ts';

const server = 'packages/server/src';
const keys = `${server}/features/keys`;
const says = (path: string, text: string) =>
  importFaults(source(path, text)).map((fault) => fault.says);
const refused = (path: string, text: string) => ok(says(path, text).length > 0, `${path}: ${text}`);
const allowed = (path: string, text: string) => deepEqual(says(path, text), []);
const from = (specifier: string) => `import { x } from '${specifier}';\n`;
const types = (specifier: string) => `import type { X } from '${specifier}';\n`;

test('every import in the repository follows the rules', () => {
  const all = sources(['ts', 'tsx', 'mjs']);
  ok(all.length > 20, 'the sources were found');
  deepEqual(list(all.flatMap(importFaults)), []);
});

test('packages import each other only in the allowed directions', () => {
  allowed('packages/client/src/client.ts', from('@keyrail/protocol/wire/limits.ts'));
  allowed('packages/dashboard/src/app.tsx', from('@keyrail/widget/react.ts'));
  allowed('packages/sdk/src/decide/decide.ts', from('@keyrail/protocol/wire/key-format.ts'));
  allowed('packages/sdk/src/decide/decide.ts', types('@keyrail/protocol/objects/policy.ts'));
  refused('packages/sdk/src/decide/decide.ts', from('@keyrail/protocol/validators.ts'));
  refused('packages/protocol/src/query.ts', from('@keyrail/server/app.ts'));
  allowed('packages/cli/src/main.ts', from('@keyrail/protocol/wire/limits.ts'));
  refused('packages/cli/src/main.ts', from('@keyrail/protocol/query.ts'));
  refused('packages/client/src/client.ts', from('@keyrail/protocol/query.ts'));
  allowed('packages/protocol/src/wire/key-format.ts', from('node:crypto'));
  refused('packages/protocol/src/wire/limits.ts', from('zod'));
  refused('packages/protocol/src/wire/limits.ts', types('../validators.ts'));
  refused('packages/dashboard/src/app.tsx', from('@keyrail/server/app.ts'));
  refused('packages/cli/src/main.ts', from('../../client/src/client.ts'));
  refused(`${server}/app.ts`, from('@keyrail/testing/harness.ts'));
  allowed(`${server}/app.test.ts`, from('@keyrail/testing/harness.ts'));
});

test('each third-party package is imported only by the folders it is assigned to', () => {
  allowed('packages/protocol/src/validators.ts', from('zod'));
  refused('packages/protocol/src/validators.ts', from('pg'));
  refused(`${server}/http/input.ts`, from('zod'));
  allowed(`${server}/http/input.ts`, types('zod'));
  refused('packages/client/src/client.ts', from('undici'));
  refused('packages/sdk/src/adapters/hono.ts', from('hono'));
  allowed('packages/sdk/src/adapters/hono.ts', types('hono'));
  allowed(`${server}/http/server.ts`, from('fastify'));
  refused(`${keys}/routes.ts`, types('fastify'));
  refused(`${server}/doors/read.ts`, from('pg'));
  refused(`${server}/doors/read.ts`, `export async function f() { await import('pg'); }`);
});

test("the server's folders import only folders listed before them", () => {
  allowed(`${server}/doors/read.ts`, from('../base/ids.ts'));
  allowed(`${server}/main.ts`, from('./commands/start.ts'));
  allowed(`${server}/commands/start.ts`, from('../app.ts'));
  refused(`${server}/base/ids.ts`, from('../db/sql.ts'));
  refused(`${server}/doors/read.ts`, from('../access/roles.ts'));
  refused(`${server}/http/route.ts`, types('../features/keys/routes.ts'));
  refused(`${server}/http/route.ts`, `export type { X } from '../features/keys/routes.ts';`);
  refused(`${server}/db/pool.ts`, from('../volatile/memory.ts'));
  refused(`${server}/app.ts`, from('./main.ts'));
  refused(`${server}/routes.ts`, from('./worker.ts'));
  refused(`${server}/attic/thing.ts`, '');
  refused(`${server}/thing.ts`, '');
  refused(`${server}/app.ts`, from('./commands/stores.ts'));
});

test('only the doors folder and the composition roots import the database', () => {
  allowed(`${server}/doors/read.ts`, from('../db/database.ts'));
  allowed(`${server}/app.ts`, from('./db/postgres.ts'));
  allowed(`${keys}/rows.ts`, from('../../db/sql.ts') + types('../../db/tables.ts'));
  refused(`${keys}/rows.ts`, from('../../db/postgres.ts'));
  refused(`${keys}/rotate-key.ts`, from('../../db/sql.ts'));
  refused(`${server}/http/server.ts`, types('../db/database.ts'));
  refused(`${server}/access/session.ts`, from('../db/database.ts'));
});

test("within a feature, a file's kind determines its layer", () => {
  allowed(`${keys}/routes.ts`, from('./rotate-key.ts') + from('./present.ts'));
  allowed(`${keys}/expire-keys.job.ts`, from('./revoke-key.ts'));
  allowed(`${keys}/parts.ts`, from('./expire-keys.job.ts') + types('./routes.ts'));
  allowed(`${keys}/rotate-key.ts`, from('./rows.ts') + from('./new-key.ts'));
  allowed(`${keys}/rotate-key.ts`, from('../tenants/rows.ts') + from('../mail/queue-mail.ts'));
  allowed(`${keys}/new-key.ts`, types('./rows.ts') + from('../policy/feed-view.ts'));
  allowed(`${keys}/await-nodes.ts`, from('../policy/node-registry.ts'));
  allowed(`${server}/features/policy/node-registry.ts`, from('./node.rows.ts'));
  allowed(`${keys}/present.ts`, from('../tenants/present.ts'));
  allowed(`${server}/features/members/invite-person.ts`, from('./invite-token.ts'));
  refused(`${keys}/rotate-key.ts`, from('./revoke-key.ts'));
  refused(`${keys}/rotate-key.ts`, from('./present.ts'));
  refused(`${keys}/rows.ts`, from('../tenants/rows.ts'));
  refused(`${keys}/rows.ts`, from('./rotate-key.ts'));
  refused(`${server}/features/policy/node-registry.ts`, from('./follow-feed.ts'));
  refused(`${keys}/rows.ts`, from('../policy/node-registry.ts'));
  refused(`${keys}/new-key.ts`, from('./rows.ts'));
  refused(`${keys}/present.ts`, from('./routes.ts'));
  refused(`${keys}/routes.ts`, from('../tenants/routes.ts'));
  refused(`${keys}/routes.ts`, types('./parts.ts'));
});

test("the SDK's modules import each other only in the allowed directions", () => {
  const sdk = 'packages/sdk/src';
  allowed(`${sdk}/api/keyrail.ts`, types('./route.ts') + types('@keyrail/protocol/wire/env.ts'));
  allowed(`${sdk}/decide/decide.ts`, from('../policy/table/digest.ts'));
  allowed(`${sdk}/limits/limits.ts`, from('../json.ts') + types('../api/options.ts'));
  allowed(`${sdk}/request/admit.ts`, from('../limits/limits.ts') + types('../settings.ts'));
  allowed(`${sdk}/adapters/koa.ts`, from('../request/body.ts') + from('./node-call.ts'));
  allowed(`${sdk}/keyrail.ts`, from('./request/admit.ts') + from('./policy/feed.ts'));
  refused(`${sdk}/api/keyrail.ts`, types('../clock.ts'));
  refused(`${sdk}/api/keyrail.ts`, types('../policy/state.ts'));
  refused(`${sdk}/limits/limits.ts`, types('../idempotency/idempotency.ts'));
  refused(`${sdk}/policy/feed.ts`, from('../request/refusal.ts'));
  refused(`${sdk}/decide/decide.ts`, from('../keyrail.ts'));
  refused(`${sdk}/telemetry/batch.ts`, types('../settings.ts'));
  refused(`${sdk}/adapters/koa.ts`, types('../idempotency/stored-response.ts'));
});

test("the dashboard's layers import only layers below them", () => {
  const src = 'packages/dashboard/src';
  allowed(`${src}/screens/keys/screen.tsx`, from('./columns.tsx') + from('../../parts/key/key.ts'));
  allowed(`${src}/parts/key/rotate.tsx`, from('../../shell/scope.ts') + from('../slug.ts'));
  allowed(`${src}/shell/sidebar.tsx`, from('../ui/controls/link.tsx') + from('../screens.ts'));
  allowed(`${src}/workers/audit-chain.ts`, from('../parts/audit-log/chain.ts'));
  allowed(`${src}/main.tsx`, from('./app.tsx') + from('./router/location.ts'));
  deepEqual(says(`${src}/screens/keys/screen.tsx`, types('../key/key.ts')), [
    'the screen keys imports the screen key: move what both show to parts/',
  ]);
  refused(`${src}/ui/tables/table.tsx`, types('../../shell/scope.ts'));
  refused(`${src}/ui/controls/link.tsx`, from('../../screens.ts'));
  refused(`${src}/shell/sidebar.tsx`, from('../screens/keys/screen.tsx'));
  refused(
    `${src}/parts/key/rotate.tsx`,
    `const load = () => import('../../screens/key/edit.tsx');\n`,
  );
  refused(`${src}/api/query.ts`, from('../ui/feedback/toast.tsx'));
  refused(`${src}/router/location.ts`, from('../screens.ts'));
  refused(`${src}/widgets/clock.tsx`, from('../ui/content/time.tsx'));
});

test('imports include file extensions, and only published packages have an index', () => {
  refused(`${server}/app.ts`, from('./routes'));
  refused('packages/client/src/client.ts', from('@keyrail/protocol/limits'));
  refused(`${server}/doors/index.ts`, 'export const x = 1;');
  allowed('packages/sdk/src/index.ts', `export { decide } from './decide/decide.ts';`);
});

test('an import inside a comment or string does not count', () => {
  allowed(`${server}/base/ids.ts`, `// import { x } from '../db/sql.ts';\n`);
  allowed(`${server}/base/ids.ts`, `const text = "import { x } from '../db/sql.ts'";\n`);
});
