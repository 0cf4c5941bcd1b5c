// `keyrail find`, run against the real server.
import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { setUpCli } from '../../test/harness.ts';

test('a search prints its matches, and a full key is neither sent nor printed', async (t) => {
  const { keyrail, given } = await setUpCli(t);
  const tenant = await given.tenant({ name: 'Globex Corporation', external_id: 'cust_1042' });
  const place = { tenant_id: tenant.id, project_id: (await given.project()).id };
  const key = await given.key({ ...place, name: 'The globex backend' });
  const ran = await keyrail('find globex');
  equal(ran.code, 0, ran.stderr);
  const [head = '', first = '', second = ''] = ran.stdout.split('\n');
  match(head, /^TYPE +ID +TITLE +SUBTITLE +ENV +STATE$/);
  match(first, new RegExp(`^tenant +${tenant.id} +Globex Corporation +cust_1042 +- +-$`));
  match(second, new RegExp(`^api key +${key.id} +The globex backend .* live +active$`));
  equal((await keyrail('find 1042 --quiet')).stdout, `${tenant.id}\n`);
  equal((await keyrail('find globex --type api_key --quiet')).stdout, `${key.id}\n`);
  match((await keyrail('find nothing-like-it')).stderr, /Nothing found\./);
  equal((await keyrail('find globex --type event')).code, 2);

  for (const text of [key.key, `Bearer ${key.key}`]) {
    const refused = await keyrail(['find', text]);
    equal(refused.code, 2);
    ok(!`${refused.stdout}${refused.stderr}`.includes(key.key.slice(-8)));
  }
});
