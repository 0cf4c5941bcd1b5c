// A test bed with one process and the embedded store. If the machine allows it, the store is on a
// separate small disk.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@keyrail/testing/ports.ts';
import { dataDirectory } from '@keyrail/testing/processes/homes.ts';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import type { Span } from '../history.ts';
import { type Bed, commonSettings, type Fault, losing } from './bed.ts';
import { clogging, cutting, freezing, slowing } from './faults.ts';
import { openProcess } from './processes.ts';
import { openSmallDisk, type SmallDisk, whyNoDisk } from './small-disk.ts';

const DISK_MIB = 1_500;

export async function openEmbeddedBed(): Promise<Bed> {
  const scratch = await mkdtemp(join(tmpdir(), 'kr-soak-'));
  const mailDir = join(scratch, 'mail');
  const home = await dataDirectory();
  const missing = whyNoDisk();
  const disk = missing ? null : await diskWith(join(scratch, 'data'), home.path);
  const dataDir = disk ? join(scratch, 'data') : home.path;
  const port = await freePort();
  const server = await openProcess({
    name: 'server',
    command: 'start',
    port,
    prefix: disk?.prefix ?? [],
    settings: { ...commonSettings(mailDir), KEYRAIL_DATA_DIR: dataDir },
  });
  const proxy = await openProxy(port);
  const losses: Span[] = [];
  const kill: Fault = (forMs) =>
    losing(losses, async () => {
      await server.kill();
      await sleep(forMs);
      await server.start();
    });
  return {
    name: 'embedded',
    urls: [`http://127.0.0.1:${proxy.port}`],
    mailDir,
    losses,
    skipped: missing ? [`disk full: ${missing}`] : [],
    faults: {
      'server killed': kill,
      'server frozen': freezing([server]),
      'connections reset': cutting([proxy]),
      'connections slow': slowing([proxy]),
      'connections stalled': clogging([proxy]),
      ...(disk && { 'disk full': filling(disk) }),
    },
    residentMiB: () => ({ server: server.residentMiB() }),
    close: async () => {
      await server.kill();
      await proxy.close();
      await disk?.close();
      await home.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

const filling =
  (disk: SmallDisk): Fault =>
  async (forMs) => {
    disk.fill();
    await sleep(forMs);
    disk.free();
  };

async function diskWith(path: string, from: string): Promise<SmallDisk> {
  const disk = await openSmallDisk(path, { mib: DISK_MIB, account: null });
  disk.copy(from);
  return disk;
}
