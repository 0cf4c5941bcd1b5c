// Right after a restore, the database has no record of nodes that joined after the backup, and
// these nodes reconnect only after a pause. Until they have had time to do so, revocations are
// reported as incomplete.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { command } from './backup-commands.ts';
import {
  type Fleet,
  join,
  newFleet,
  restorable,
  restoredFrom,
  revoked,
} from './restored-fleets.ts';

const NODES = 2;
/** Every fleet has one key for each round, which is revoked in that round. */
const ROUNDS = Array.from({ length: 4 });

test('after a restore, no revocation is complete while a running node still allows the key', async (t) => {
  const lost = await restorable(t);
  const before = await lost.run();
  const fleets: Fleet[] = [];
  for (let known = 0; known <= NODES; known += 1) {
    fleets.push(await newFleet(t, before, { known, keys: ROUNDS.length }));
  }
  await command(lost, 'backup');
  for (const fleet of fleets) {
    while (fleet.nodes.length < NODES) await join(t, before, fleet);
  }
  await before.kill();

  const restored = await restoredFrom(t, lost);
  const server = await restored.run();
  const lies: string[] = [];
  for (const round of ROUNDS.keys()) {
    const answers = await Promise.all(
      fleets.map((fleet) => revoked(server, fleet, fleet.keys[round])),
    );
    for (const { propagation, verdicts } of answers) {
      const { complete, total_nodes, nodes } = propagation;
      if (complete && verdicts.includes('allowed')) lies.push(JSON.stringify(propagation));
      equal(total_nodes, nodes.length);
    }
  }
  deepEqual(lies, []);
});
