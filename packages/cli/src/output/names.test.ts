// Tables show names instead of tenant and project IDs.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { json, scriptedServer } from '../../../client/test/scripted-server.ts';
import { home, keyrailInProcess } from '../../test/harness.ts';

const ID = '01890c5e-7b21-7c3a-9d5e-0123456789ab';

test("the number of requests made to look up a table's names is limited", async (t) => {
  const row = (n: number) => ({
    id: ID,
    display_prefix: 'kr_live_ab-_12',
    name: null,
    state: 'active',
    tenant_id: `${ID.slice(0, -3)}${100 + n}`,
    project_id: ID,
  });
  const { url, seen } = await scriptedServer(t, [
    json({ object: 'list', data: Array.from({ length: 90 }, (_, n) => row(n)) }),
  ]);
  const keyrail = keyrailInProcess(await home(t), { KEYRAIL_URL: url, KEYRAIL_TOKEN: 'krses_x' });
  equal((await keyrail('keys list')).code, 0);
  const paths = seen.map(({ url: at }) => at.replace(/\/[^/]*-[^/]*$/, '/{id}'));
  const counts = Map.groupBy(paths, (path) => path);
  deepEqual([...counts].map(([path, { length }]) => `${length} ${path}`).toSorted(), [
    '1 /v1/keys?limit=100&include_revoked=false',
    '1 /v1/projects/{id}',
    '1 /v1/tenants?limit=1000',
    '20 /v1/tenants/{id}',
  ]);
});
