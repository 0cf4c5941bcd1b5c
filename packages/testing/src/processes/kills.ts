// Kills a server at random moments while clients write to it, restarts it, and each time compares
// its data with all the responses clients received.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  assertDecent,
  audit,
  type Ledger,
  repeatLost,
  startWriting,
  writeOnce,
  writesOf,
} from './ledger.ts';
import { type ServerProcess, type Settings, startServer } from './server.ts';

const CLIENTS = 4;
const WRITES_MIN = 6;
const WRITES_MAX = 25;

export async function surviveKills(
  first: ServerProcess,
  ledger: Ledger,
  { kills, settings }: { kills: number; settings: Settings },
): Promise<{ last: ServerProcess; acknowledged: number; slowestMs: number }> {
  let server = first;
  let slowestMs = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    const { url } = server;
    const load = startWriting(CLIENTS, () => writeOnce(url, ledger));
    await writesOf(ledger, randomInt(WRITES_MIN, WRITES_MAX));
    await sleep(randomInt(0, 20)); // to kill the server at any moment between two responses
    await server.kill();
    await load.stop();

    server = await startServer(settings);
    slowestMs = Math.max(slowestMs, server.readyMs);
    try {
      await repeatLost(server.url, ledger);
      await audit(server.url, ledger);
      assertDecent(ledger);
    } catch (error) {
      await server.kill();
      throw error;
    }
  }
  return { last: server, acknowledged: ledger.acknowledged.size, slowestMs };
}
