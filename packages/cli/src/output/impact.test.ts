// How the CLI describes the impact of a change, with exact numbers or lower bounds.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { IMPACT_KEYS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { importMany } from '@keyrail/testing/imports.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { parsed, setUpCli } from '../../test/harness.ts';
import { impactText } from './impact.ts';

const few = {
  object: 'impact' as const,
  action: 'tenant.deleted' as const,
  target_type: 'tenant',
  target_id: '01890c5e-7b21-7c3a-9d5e-0123456789ab',
  keys: 1,
  capped: false,
  active_keys: 1,
  tenants: 1,
  requests_24h: 0,
  requests_7d: 0,
  last_used_at: null,
  nodes: 0,
  nodes_unable: 0,
  scopes_removed: [],
};

test('the impact of a change is described with exact numbers, or with lower bounds if the counts are capped', () => {
  equal(impactText({ ...few, keys: 0 }), 'No keys would change.');
  equal(impactText(few), 'Keys: 1, active now: 1. Tenants: 1. Last used: never.');
  equal(
    impactText({ ...few, keys: 10_001, active_keys: 10_000, capped: true, nodes: 3 }),
    'Keys: more than 10,000, active now: at least 10,000. Tenants: at least 1. ' +
      'Requests: at least 0 in 24 hours, at least 0 in 7 days. Last used: unknown. ' +
      'Nodes: at least 3.',
  );
  match(impactText({ ...few, keys: 0, active_keys: 0, capped: true }), /^Keys: at least 0, /);
});

test('a dry run with more than 10,000 keys prints lower bounds', async (t) => {
  const setup = await setUpCli(t);
  const { here: keyrail, given, as } = setup;
  const { id: project_id } = await given.project();
  const { id: tenant_id } = await given.tenant();
  await importMany(setup, { project_id, tenant_id }, IMPACT_KEYS_MAX);
  const key = await given.key({ project_id, tenant_id });
  const at = setup.clock.now();
  await as.liveKey('POST /v1/ingest/batch', batchOf([eventOf(key, at)]));

  const { stdout } = await keyrail(`tenants delete ${tenant_id} --dry-run`);
  match(stdout, /^keys +more than 10,000$/m);
  match(stdout, /^active keys +at least 10,000$/m);
  match(stdout, /^tenants +at least 1$/m);
  match(stdout, /^requests, 24 h +at least 1$/m);
  match(stdout, /^last used +20\S+Z or later$/m);
  match(stdout, /^nodes +at least 0$/m);
  const printed = parsed<{ keys: number; capped: boolean }>(
    await keyrail(`tenants delete ${tenant_id} --dry-run --json`),
  );
  equal(`${printed.keys} ${printed.capped}`, '10001 true');
});
