// Every command has help and is included in shell completion.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { home, keyrailInProcess } from '../../test/harness.ts';
import type { Command } from '../command.ts';
import { VERSION } from '../version.ts';
import { tree } from './all.ts';

const all: { path: string; command: Command }[] = [
  ...tree.single.map((command) => ({ path: command.name, command })),
  ...tree.groups.flatMap(({ name, commands }) =>
    commands.map((command) => ({ path: `${name} ${command.name}`, command })),
  ),
];

test('every command has help with examples that start with its name', async (t) => {
  const keyrail = keyrailInProcess(await home(t), {});
  const groups = tree.groups.map(({ name }) => ({ path: name, command: null }));
  for (const { path, command } of [...all, ...groups]) {
    const ran = await keyrail(`${path} --help`);
    equal(ran.code, 0, path);
    match(ran.stdout, /\nExamples:\n {2}\$ /, path);
    for (const example of command?.examples ?? []) ok(example.includes(`keyrail ${path}`), example);
  }
});

const shared = ['--profile', '--url', '--json', '--quiet', '--no-color', '--yes'];

test('the examples in the help only use options that exist', () => {
  for (const { path, command } of all) {
    const known = [...(command.options ?? []).map(({ flags }) => flags), ...shared].join(' ');
    for (const example of command.examples) {
      const used = example.match(/(?<= )--[a-z-]+/g) ?? [];
      deepEqual(
        used.filter((flag) => !known.split(/[ ,]+/).includes(flag)),
        [],
        `${path}: ${example}`,
      );
    }
  }
});

test('every example in the help fits in 100 columns', () => {
  const lines = all.flatMap(({ command }) => command.examples.flatMap((one) => one.split('\n')));
  deepEqual(
    lines.filter((line) => line.length > 96),
    [],
  );
});

test('the CLI reports the version in its package.json', async (t) => {
  const path = join(import.meta.dirname, '..', '..', 'package.json');
  equal(JSON.parse(readFileSync(path, 'utf8')).version, VERSION);
  equal((await keyrailInProcess(await home(t), {})('--version')).stdout, `${VERSION}\n`);
});

test('in every supported shell, completion includes all commands and options', async (t) => {
  const keyrail = keyrailInProcess(await home(t), {});
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout, code } = await keyrail(`completion ${shell}`);
    equal(code, 0);
    for (const { path } of all) ok(stdout.includes(`" ${path}"`), `${shell}: ${path}`);
    ok(stdout.includes('overlap'), shell);
    ok(stdout.includes('live test'), shell);
  }
  equal((await keyrail('completion tcsh')).code, 2);
});

test('the bash completion script works', async (t) => {
  const { stdout: script } = await keyrailInProcess(await home(t), {})('completion bash');
  execFileSync('bash', ['-n'], { input: script });
  const complete = (...words: string[]): string[] => {
    const quoted = ['keyrail', ...words].map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _keyrail`;
    const command = `${script}\n${ask}; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', command], { encoding: 'utf8' }).trim().split(' ');
  };
  deepEqual(complete('secret-keys', 'ro'), ['rotate']);
  deepEqual(complete('keys', 'create', '--env', ''), ['live', 'test']);
  deepEqual(complete('--profile', 'x', 'ten'), ['tenants']);
  deepEqual(complete('keys', 'revoke', '--rea'), ['--reason']);
  ok(complete('keys', 'usage', '').includes('--days'));
  deepEqual(complete('completion', 'f'), ['fish']);
});
