// A build is made again, or not used, when its sources change, and for no other reason.
import { equal } from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { root } from '@keyrail/testing/documents.ts';
import { mainIn } from '@keyrail/testing/processes/server-program.ts';

type Build = {
  name: string;
  isStale(at: string): boolean;
  stamp: string;
  copied: string[];
  changes: Record<string, boolean>;
};

/** Plain JavaScript, without types. */
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
    stamp: 'packages/server/dist/program/made-from',
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
  test(`${name}: a change of its sources makes the build stale, and nothing else does`, async (t) => {
    const copy = await mkdtemp(join(tmpdir(), 'kr-stale-'));
    t.after(() => rmSync(copy, { recursive: true, force: true }));
    for (const path of [...copied, stamp]) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    equal(isStale(copy), false, 'setup built it before the tests');
    utimesSync(join(copy, Object.keys(changes)[0] ?? ''), 0, 0);
    equal(isStale(copy), false, 'a new date is no change');
    for (const [path, expected] of Object.entries(changes)) {
      appendFileSync(join(copy, path), '\n');
      equal(isStale(copy), expected, path);
      rmSync(join(copy, path));
      if (existsSync(join(root, path))) cpSync(join(root, path), join(copy, path));
    }
    equal(isStale(copy), false, 'as before');
    writeFileSync(join(copy, stamp), 'of another version');
    equal(isStale(copy), true);
  });
}
