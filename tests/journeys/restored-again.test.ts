// Deployments that are restored several times, from backups in any order. Nodes that had a newer
// policy accept each restored one, or log what to do. tests/contracts/restored-versions tests
// random histories.
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { command } from './backup-commands.ts';
import type { Running } from './deployment.ts';
import { type Fleet, newFleet, restorable, restoredFrom, revoked } from './restored-fleets.ts';

/** A node that was rejected retries within a minute. */
const FOLLOWED_MS_MAX = 90_000;

/** Waits until all nodes have this server's policy. */
async function followed(server: Running, { ground, nodes }: Fleet): Promise<void> {
  const list = () =>
    server.as(ground.secretKey)('GET /v1/policy/nodes', {
      project_id: ground.projectId,
    });
  const isCurrent = async () => {
    const { data } = await list();
    return data.filter(({ state }) => state === 'current').length === nodes.length;
  };
  await until(isCurrent, FOLLOWED_MS_MAX);
}

test('nodes follow each of several restores, even from a backup that is older than the last one', async (t) => {
  let place = await restorable(t);
  let server = await place.run();
  const fleet = await newFleet(t, server, { known: 1, keys: 2 });
  const backUp = async (): Promise<string> => (await command(place, 'backup')).backupId;
  const first = await backUp();
  const restored = async (backup: string) => {
    await server.kill();
    place = await restoredFrom(t, place, backup);
    server = await place.run();
    await followed(server, fleet);
  };
  await restored(first);
  const second = await backUp();
  await restored(second);
  await restored(second);
  await restored(first);
  const { verdicts } = await revoked(server, fleet, fleet.keys[0]);
  deepEqual(verdicts, ['unknown_key']);
});

test('a node that is ahead of a restored database logs how to restore it correctly', async (t) => {
  const lost = await restorable(t);
  const before = await lost.run();
  const fleet = await newFleet(t, before, { known: 1, keys: 1 });
  const { backupId } = await command(lost, 'backup');
  await before.kill();
  await lost.beyond('update keyrail.project_versions set version = version + 10000000000000');
  const ahead = await lost.run();
  await followed(ahead, fleet);
  await ahead.kill();

  const behind = await restoredFrom(t, lost, backupId);
  const stuck = await behind.run();
  let version = '';
  await until(async () => {
    const { failure } = (await fleet.nodes[0]?.state()) ?? {};
    version = /keyrail-server restore --ahead-of (\d+)/.exec(failure?.message ?? '')?.[1] ?? '';
    return version !== '';
  }, FOLLOWED_MS_MAX);
  ok(Number(version) > 10_000_000_000_000, version);
  const { propagation, verdicts } = await revoked(stuck, fleet, fleet.keys[0]);
  deepEqual([propagation.acked_nodes, verdicts], [0, ['allowed']]);
  await stuck.kill();

  const again = await restoredFrom(t, lost, backupId, '--ahead-of', version);
  const server = await again.run();
  await followed(server, fleet);
  deepEqual((await revoked(server, fleet, fleet.keys[0])).verdicts, ['unknown_key']);
});
