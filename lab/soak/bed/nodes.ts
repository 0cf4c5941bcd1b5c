// The SDK nodes in a soak: processes with a cache on disk, one of them with a wrong clock.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import { type NodeProcess, startSdkNode } from '@keyrail/testing/processes/sdk-nodes.ts';
import type { World } from '../world.ts';
import type { Fault } from './bed.ts';
import { freezing } from './faults.ts';
import { clockAhead } from './processes.ts';

const CLOCKS_MS = [0, 3_600_000, -600_000];

export type Nodes = { faults: Record<string, Fault>; close(): Promise<void> };

/** Starts the nodes and registers them by name. */
export async function openNodes(world: World, scratch: string): Promise<Nodes> {
  const wires = await Promise.all(
    CLOCKS_MS.map((_, n) => openProxy(Number(new URL(urlAt(world, n)).port))),
  );
  const start = (n: number): NodeProcess =>
    startSdkNode(
      {
        url: `http://127.0.0.1:${wires[n]?.port}`,
        secretKey: world.secretKey,
        projectId: world.projectId,
        nodeName: nameOf(n),
        cacheDir: join(scratch, nameOf(n)),
      },
      clockAhead(CLOCKS_MS[n] ?? 0),
    );
  for (const n of CLOCKS_MS.keys()) world.nodes.set(nameOf(n), start(n));
  const chosen = (dice: number) => dice % CLOCKS_MS.length;
  const killed: Fault = async (forMs, dice) => {
    const n = chosen(dice);
    const node = world.nodes.get(nameOf(n));
    world.nodes.delete(nameOf(n));
    await node?.kill();
    await sleep(forMs / 4);
    world.nodes.set(nameOf(n), start(n));
  };
  const frozen: Fault = (forMs, dice) => freezing([...world.nodes.values()])(forMs, dice);
  const cut: Fault = async (forMs, dice) => {
    const wire = wires[chosen(dice)];
    wire?.keepAnswers(true);
    await sleep(forMs);
    wire?.keepAnswers(false);
    wire?.cutAfter(null);
  };
  return {
    faults: { 'node killed': killed, 'node frozen': frozen, 'node cut off': cut },
    close: async () => {
      for (const node of world.nodes.values()) await node.kill();
      for (const wire of wires) await wire.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

const nameOf = (n: number) => `node-${n}`;
const urlAt = ({ urls }: World, n: number) => urls[n % urls.length] ?? '';
