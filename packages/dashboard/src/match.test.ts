// Each URL opens the right screen.
import { deepEqual, equal } from 'node:assert/strict';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { matchOf, pathOfPage, workspacePageOf } from './match.ts';
import { paths } from './paths.ts';
import { rowOf, screenNames } from './screens.ts';

const place = { slug: 'acme', env: 'test' } as const;

test("a screen's URL opens that screen with the right parameters", () => {
  deepEqual(matchOf(paths.key({ ...place, keyId: 'a/b c' })), {
    name: 'key',
    params: { ...place, keyId: 'a/b c' },
  });
  deepEqual(matchOf(paths.auditEntry({ ...place, seq: 12 })), {
    name: 'auditEntry',
    params: { slug: 'acme', seq: '12' },
  });
  for (const name of screenNames) {
    const path = rowOf(name).path.replace('$env', 'live').replaceAll(/\$\w+/g, 'object');
    equal(matchOf(path)?.name, name);
  }
});

test('a fixed path such as "keys/new" is not mistaken for a path with an ID', () => {
  equal(matchOf(paths.newKey(place))?.name, 'newKey');
  equal(matchOf(paths.newWorkspace)?.name, 'newWorkspace');
});

test('unknown environments, longer paths and malformed URLs match no screen', () => {
  for (const path of ['/w/acme/other/keys', '/w/acme/test/keys/a/b', '/w//test/keys', '/nowhere']) {
    equal(matchOf(path), null, path);
  }
  equal(matchOf('/w/acme/test/keys/%E0%A4%A'), null);
});

test('switching workspaces opens the same kind of page in the other workspace', () => {
  const page = workspacePageOf(paths.key({ ...place, keyId: 'one' }));
  deepEqual(page, { ...place, kind: 'keys' });
  equal(page && pathOfPage({ ...page, slug: 'globex' }), '/w/globex/test/keys');
  const audit = workspacePageOf(paths.auditEntry({ ...place, seq: 1 }));
  equal(audit && pathOfPage({ ...audit, slug: 'globex' }), '/w/globex/audit');
  const home = workspacePageOf(paths.workspace('acme'));
  equal(home && pathOfPage(home), '/w/acme');
  equal(workspacePageOf(paths.account), null);
});

test('every screen folder is listed in the table of screens, and every listed folder exists', () => {
  const cwd = join(import.meta.dirname, 'screens');
  const folders = globSync('*/screen.tsx', { cwd }).map(dirname);
  deepEqual(folders.sort(), [...new Set(screenNames.map((name) => rowOf(name).folder))].sort());
});
