// What the setup prints: in a terminal, one line that changes; elsewhere, plain lines.
import { match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root } from '@keyrail/testing/documents.ts';

const folder = mkdtempSync(join(tmpdir(), 'kr-progress-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const program = join(folder, 'steps.mjs');
writeFileSync(
  program,
  `import { step } from ${JSON.stringify(join(root, 'scripts/setup-progress.mjs'))};
const wait = () => new Promise((done) => setTimeout(done, 20));
await step('installing', wait, () => '1 of 2');
await step('building', () => Promise.reject(new Error('no'))).catch(() => {});`,
);

test('without a terminal, a step prints one line when it begins and another when it ends', () => {
  const { stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
  match(
    stderr,
    /^keyrail: installing\nkeyrail: installing: done, \d+ s\nkeyrail: building\nkeyrail: building: failed, \d+ s\n$/,
  );
});

const skip = spawnSync('script', ['--version']).error ? 'no program named script' : false;

test('in a terminal, a step prints a single line that changes', { skip }, () => {
  const command = `${process.execPath} ${program}`;
  const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8' });
  const lines = stdout.trimEnd().split('\r\n');
  match(
    lines[0] ?? '',
    /keyrail: installing: 1 of 2, 0 s\r[^\n]*keyrail: installing: done, \d+ s$/,
  );
  match(lines[1] ?? '', /keyrail: building: 0 s\r[^\n]*keyrail: building: failed, \d+ s$/);
  ok(lines.every((line) => line.split('keyrail:').length === line.split('\r\u001b[K').length));
});
