// Fleets of real nodes, some of which joined after the backup from which their deployment is
// restored. Each fleet belongs to one project, and the same restore affects all of them.
import type { TestContext } from 'node:test';
import { freePort } from '@keyrail/testing/ports.ts';
import { type NodeProcess, startSdkNode } from '@keyrail/testing/processes/sdk-nodes.ts';
import { command } from './backup-commands.ts';
import { type Deployment, deploy, type Running, type Settings } from './deployment.ts';
import { type Ground, newGround, type Propagation } from './sdk-ground.ts';

const BACKUP_KEY = 'AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33';

export type Fleet = {
  ground: Ground;
  nodes: NodeProcess[];
  /** How many of the nodes joined before the backup, so that the restored database knows them. */
  known: number;
  keys: { id: string; key: string }[];
};

export type Restorable = {
  settings: Settings;
  port: string;
  backupDir: string;
};

/** A deployment on a fixed port, so that nodes can reach the restored one. */
export async function restorable(
  t: TestContext,
  more: Settings = {},
): Promise<Deployment & Restorable> {
  const port = String(await freePort());
  const settings = { ...more, KEYRAIL_PORT: port, KEYRAIL_BACKUP_KEY: BACKUP_KEY };
  const deployment = await deploy(t, settings);
  return { ...deployment, settings, port, backupDir: `${deployment.directory}/backups` };
}

export async function join(t: TestContext, server: Running, fleet: Fleet): Promise<void> {
  const node = startSdkNode(fleet.ground.options(server.url));
  t.after(node.kill);
  fleet.nodes.push(node);
  if (!(await node.ready())) throw new Error('the node has no policy');
}

export async function newFleet(
  t: TestContext,
  server: Running,
  { known, keys }: { known: number; keys: number },
): Promise<Fleet> {
  const ground = await newGround(server);
  const issued = Array.from({ length: keys }, () => ground.issue(server));
  const fleet: Fleet = { ground, nodes: [], known, keys: await Promise.all(issued) };
  for (let n = 0; n < known; n += 1) await join(t, server, fleet);
  return fleet;
}

/** Restores a backup, by default the latest one, into a new deployment on the same port. */
export async function restoredFrom(
  t: TestContext,
  { settings, backupDir }: Restorable,
  ...words: string[]
): Promise<Deployment & Restorable> {
  const at = { ...settings, KEYRAIL_BACKUP_DIR: backupDir };
  const deployment = await deploy(t, at);
  await command(deployment, 'restore', ...words);
  return { ...deployment, settings, port: settings.KEYRAIL_PORT ?? '', backupDir };
}

export const verdictsOf = ({ nodes }: Fleet, key: string): Promise<string[]> =>
  Promise.all(nodes.map((node) => node.verdict(key)));

/**
 * Revokes a key. Returns the response, and what the nodes report about the key right afterwards.
 */
export async function revoked(
  server: Running,
  fleet: Fleet,
  at: { id: string; key: string } | undefined,
): Promise<{ propagation: Propagation; verdicts: string[] }> {
  if (!at) throw new Error('the fleet has no such key');
  const propagation = await fleet.ground.revoke(server, at.id);
  return { propagation, verdicts: await verdictsOf(fleet, at.key) };
}
