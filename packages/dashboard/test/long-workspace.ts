// A workspace with the longest and most unusual names the API allows.
import type { TestContext } from 'node:test';
import { openVendor } from './ground.ts';
import { sendTraffic } from './traffic.ts';

const SOLID = 'W'.repeat(200);
const NAMES = [
  SOLID,
  'A name that goes on for as long as the service allows, with ordinary words in it '.repeat(3),
  'مفتاح الواجهة الخلفية للإنتاج في أوروبا الوسطى والشمالية',
  '🦊🧰 Fuchsbau Gerätewerkzeugverleih Kundendatenschnittstelle 🚀🚀🚀',
];

export async function longWorkspace(t: TestContext) {
  const vendor = await openVendor(t);
  const { as, given } = vendor;
  await as.liveKey('PATCH /v1/workspace', { name: SOLID });
  const keys = [];
  let project = { slug: '' };
  let tenant = { id: '' };
  for (const [at, text] of NAMES.entries()) {
    const name = text.slice(0, 200);
    const made = await given.project({
      name,
      slug: `p${at}-${'long-slug-'.repeat(6)}`.slice(0, 62),
    });
    const held = await given.tenant({ name, external_id: `${at}_${'x'.repeat(180)}` });
    const scopes = [`scope:${'y'.repeat(190)}`, 'orders:read', 'orders:write'];
    const ids = { project_id: made.id, tenant_id: held.id };
    for (const env of ['live', 'test']) keys.push(await given.key({ ...ids, name, env, scopes }));
    if (at === 0) {
      project = made;
      tenant = held;
    }
  }
  const admin = await vendor.people.admin();
  await admin.call('PATCH /v1/auth/me', { name: SOLID });
  const secretKey = await as.liveKey('POST /v1/secret_keys', {
    env: 'live',
    name: SOLID,
    project_ids: [...new Set(keys.map(({ project_id }) => project_id))],
    networks: ['2001:db8:1111:2222:3333:4444:5555:6666/128', '203.0.113.0/24'],
  });
  await as.liveKey('POST /v1/invites', {
    email: `${'a'.repeat(60)}@${'b'.repeat(60)}.example`,
    role: 'admin',
  });
  const first = keys[0];
  if (first) await as.liveKey('POST /v1/keys/{id}/disable', { id: first.id, reason: SOLID });
  await sendTraffic(as.liveKey, [...keys, ...keys, ...keys], vendor.clock.now());
  return {
    vendor,
    key: first?.id ?? '',
    secretKey: secretKey.id,
    project: project.slug,
    tenant: tenant.id,
  };
}
