// Processes that share a directory are killed at random moments. The next process must find the
// policy exactly as it was at one version: no older than the last one written, and no older than
// the last one whose removals may have been acknowledged.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inRun } from '@keyrail/testing/full-run.ts';
import { bundleProgram } from '@keyrail/testing/processes/program-bundle.ts';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import { until } from '@keyrail/testing/until.ts';
import { versionIn } from '../../../test/cache.ts';
import { NUMBERS, openCache, policyAt } from '../../../test/cache-writer.ts';
import { sha256Hex, toldBy } from '../../../test/entries.ts';
import { manualClock } from '../../../test/manual-clock.ts';

const ROUNDS = inRun({ usual: 2, full: 10 });
const WRITER = fileURLToPath(import.meta.resolve('../../../test/cache-writer.ts'));

async function scratch(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kr-killed-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function killedAgainAndAgain(t: TestContext, programs: number): Promise<void> {
  const dir = await scratch(t);
  const program = await bundleProgram(WRITER, await scratch(t));
  const chance = chanceFrom(programs);
  const said: string[] = [];
  let acknowledged = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = await versionIn(dir);
    const children = Array.from({ length: programs }, (_, number) => {
      const seed = String(round * 10 + number);
      const child = spawn(process.execPath, [program, dir, seed], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stderr.on('data', (bytes) => said.push(String(bytes)));
      createInterface(child.stdout).on('line', (line) => {
        acknowledged = Math.max(acknowledged, Number(line));
      });
      return { child, exit: once(child, 'close') };
    });
    t.after(() => {
      for (const { child } of children) child.kill('SIGKILL');
    });
    const isLast = round === ROUNDS;
    await until(async () => (await versionIn(dir)) > before && (!isLast || acknowledged > ROUNDS));
    for (const { child, exit } of children) {
      await sleep(chance.below(200));
      child.kill('SIGKILL');
      deepEqual(await exit, [null, 'SIGKILL'], said.join(''));
    }
    const written = await versionIn(dir);
    const kept = await openCache(dir, manualClock(), (message) => said.push(message)).load();
    ok(kept, `nothing is left in round ${round}: ${said.join('')}`);
    const { table, version } = kept.policy;
    ok(version >= written, `${version} of ${written}`);
    ok(version >= acknowledged, `${version} of ${acknowledged}, which was acknowledged`);
    const { table: expected } = policyAt(version);
    equal(table.size, expected.size);
    for (let number = 0; number < NUMBERS; number += 1) {
      const hash = sha256Hex(`key ${number}`);
      deepEqual(toldBy(table, hash), toldBy(expected, hash), `key ${number} at ${version}`);
    }
  }
  deepEqual(said, []);
  ok(acknowledged > ROUNDS, `${acknowledged}`);
}

test('the policy cache survives when one process is killed', (t) => killedAgainAndAgain(t, 1));
test('the policy cache survives when three processes that share a directory are killed', (t) =>
  killedAgainAndAgain(t, 3));
