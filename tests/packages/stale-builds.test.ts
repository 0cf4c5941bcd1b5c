// A build counts as stale only when its sources change.
import { deepEqual, equal } from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { root } from '@keyrail/testing/documents.ts';
import { buildProgram, mainIn } from '@keyrail/testing/processes/server-program.ts';

type Build = {
  name: string;
  isStale(at: string): boolean;
  /** The file that proves there is a build. Without it, the build counts as stale. */
  stamp: string;
  copied: string[];
  changes: Record<string, boolean>;
};

/** Imported dynamically, because the script is plain JavaScript without types. */
const { isBrowserStale }: { isBrowserStale(at: string): boolean } = await import(
  join(root, 'scripts/build-browser.mjs')
);

const builds: Build[] = [
  {
    name: 'dashboard and widget',
    isStale: isBrowserStale,
    stamp: 'packages/dashboard/dist/made-from',
    copied: [
      'packages/dashboard/src',
      'packages/dashboard/index.html',
      'packages/dashboard/package.json',
      'packages/client/src',
      'packages/protocol/src',
      'packages/widget/src',
      'packages/widget/package.json',
      'scripts/build-browser.mjs',
      'scripts/widget-options.mjs',
    ],
    changes: {
      'packages/dashboard/src/main.tsx': true,
      'packages/dashboard/src/style/tokens.css': true,
      'packages/dashboard/package.json': true,
      'packages/client/src/client.ts': true,
      'packages/widget/src/element.ts': true,
      'packages/protocol/src/wire/limits.ts': true,
      'packages/dashboard/src/sizes.test.ts': false,
      'packages/dashboard/README.md': false,
      'packages/protocol/src/endpoint.ts': false,
    },
  },
  {
    name: "the server's program",
    isStale: (at) => mainIn(at) === join(at, 'packages/server/src/main.ts'),
    stamp: mainIn(root).slice(root.length + 1),
    copied: [
      ...['server', 'protocol', 'reference'].flatMap((name) => [
        `packages/${name}/src`,
        `packages/${name}/package.json`,
      ]),
      'packages/server/bin',
      'package-lock.json',
    ],
    changes: {
      'packages/server/src/main.ts': true,
      'packages/server/src/volatile/check.lua': true,
      'packages/server/src/added.ts': true,
      'packages/protocol/src/wire/limits.ts': true,
      'packages/server/bin/program.mjs': true,
      'package-lock.json': true,
      'packages/server/src/main.test.ts': false,
      'packages/server/README.md': false,
    },
  },
];

for (const { name, isStale, stamp, copied, changes } of builds) {
  test(`${name}: a change to its sources makes the build stale, and nothing else does`, async (t) => {
    const copy = await mkdtemp(join(tmpdir(), 'kr-stale-'));
    t.after(() => rmSync(copy, { recursive: true, force: true }));
    for (const path of [...copied, stamp]) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    equal(isStale(copy), false, 'setup built it before the tests');
    utimesSync(join(copy, Object.keys(changes)[0] ?? ''), 0, 0);
    equal(isStale(copy), false, 'a new date is not a change');
    for (const [path, expected] of Object.entries(changes)) {
      appendFileSync(join(copy, path), '\n');
      equal(isStale(copy), expected, path);
      rmSync(join(copy, path));
      if (existsSync(join(root, path))) cpSync(join(root, path), join(copy, path));
    }
    equal(isStale(copy), false, 'as before');
    rmSync(join(copy, stamp));
    equal(isStale(copy), true);
  });
}

test('a new build keeps the two previous ones, which servers may still be running', async (t) => {
  const copy = await mkdtemp(join(tmpdir(), 'kr-program-'));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  const { copied } = builds.find(({ name }) => name.startsWith('the server')) ?? { copied: [] };
  for (const path of copied) cpSync(join(root, path), join(copy, path), { recursive: true });
  for (const path of ['node_modules', 'packages/server/node_modules']) {
    symlinkSync(join(root, path), join(copy, path));
  }
  const dist = join(copy, 'packages/server/dist');
  for (const [at, name] of ['program-a', 'program-b', 'program-c', 'program-d'].entries()) {
    mkdirSync(join(dist, name), { recursive: true });
    utimesSync(join(dist, name), at, at);
  }
  await buildProgram(copy);
  const main = mainIn(copy);
  equal(main.startsWith(dist), true, main);
  const found = readdirSync(dist).filter((name) => join(dist, name) !== dirname(main));
  deepEqual(found.sort(), ['program-c', 'program-d']);
});
