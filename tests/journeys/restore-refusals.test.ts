import { equal, match, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { command } from './backup-commands.ts';
import { deploy } from './deployment.ts';
import { newGround } from './sdk-ground.ts';

test('a restore rejects a target that is in use or not empty, and a master key that does not match', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run();
  await newGround(server);
  const { path } = await command(deployment, 'backup');
  const beside = await deployment.command('restore', path);
  equal(beside.code, 1);
  match(beside.output, /Keyrail (server|process) is .*Stop it first/);
  await server.stop();
  const again = await deployment.command('restore', path);
  equal(again.code, 1);
  match(again.output, /target isn't empty: table \w+ has rows\. Nothing was changed/);

  const other = await deploy(t, { KEYRAIL_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') });
  const refused = await other.command('restore', path);
  equal(refused.code, 1);
  match(refused.output, /made with a different master key. Nothing was changed/);
  const anchors = join(other.directory, 'audit-anchors.jsonl');
  await writeFile(anchors, 'newer than the backup');
  const forced = await command(other, 'restore', path, '--new-master-key');
  ok(forced.rows > 0);
  equal(existsSync(anchors), false);
  equal(await readFile(forced.moved[0], 'utf8'), 'newer than the backup');
});
