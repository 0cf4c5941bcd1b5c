// Compiles the declarations of the published packages with a user's TypeScript, without any files
// from the clone. TypeScript 7 doesn't support node10 resolution, so `npm run release-check`
// covers it.
import { deepEqual, equal } from 'node:assert/strict';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compile, install, linkTypes, pack, root, temporaryFolder } from '../../scripts/packing.ts';

const consumers = {
  sdk: {
    files: ['consumer.mts', 'consumer.cts', 'consumer-nest.mts'],
    types: ['@types', 'undici-types'],
  },
  client: {
    files: ['consumer.mts', 'consumer.cts'],
    types: ['@types/node', 'undici-types'],
  },
};
const names = ['sdk', 'client'] as const;

const projects = { sdk: '', client: '' };
let folder = '';
after(() => rm(folder, { recursive: true, force: true }));
before(async () => {
  folder = await temporaryFolder();
  for (const packed of await pack(names, folder)) {
    const name = packed.name as (typeof names)[number];
    const project = await install([packed], folder);
    const { files, types } = consumers[name];
    for (const file of files) {
      await cp(join(root, 'packages', name, 'test', file), join(project, file));
    }
    await linkTypes(project, types);
    projects[name] = project;
  }
});

// Only the `nodenext` run also checks the declaration files themselves, which takes several times
// as long.
const resolutions = [
  { module: 'node16', moduleResolution: 'node16', skipLibCheck: true },
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'preserve', moduleResolution: 'bundler', skipLibCheck: true },
];

for (const resolution of resolutions) {
  test(`the declarations compile with module resolution ${resolution.moduleResolution}`, async () => {
    const compilerOptions = { ...resolution, types: ['node'] };
    const reports = await Promise.all(
      names.map((name) => compile(projects[name], { ...consumers[name], compilerOptions })),
    );
    deepEqual(reports, ['', '']);
  });
}

test("the client's declarations compile for a browser, without Node.js types", async () => {
  const compilerOptions = { module: 'preserve', lib: ['es2022', 'dom'], types: [] };
  equal(await compile(projects.client, { files: ['consumer.mts'], compilerOptions }), '');
});

/** Declares names that the README's examples expect in the reader's code. */
const given = ['secretKey', 'project_id', 'tenant_id', 'id']
  .map((name) => `declare const ${name}: string;`)
  .join('\n');

test("the examples in the client's README compile", async () => {
  const readme = await readFile(join(root, 'packages/client/README.md'), 'utf8');
  const [first = '', ...others] = Array.from(
    readme.matchAll(/```ts\n(.*?)```/gs),
    ([, code = '']) => code,
  );
  equal(others.length, 3, 'the examples were found');
  await writeFile(join(projects.client, 'readme.mts'), [given, first, ...others].join('\n'));
  const compilerOptions = { module: 'nodenext', types: ['node'] };
  equal(await compile(projects.client, { files: ['readme.mts'], compilerOptions }), '');
});
