/**
 * Checks the packages as they would be published. publint and "are the types wrong" must report no
 * problems. The declarations must compile with the oldest supported TypeScript, and with the
 * classic resolution of TypeScript 5, which TypeScript 7 no longer has. Next.js and other
 * frameworks must work with the SDK. Redocly and Spectral must find no problems in the OpenAPI
 * document. Only this check needs these tools, so they are installed into a temporary folder and
 * don't appear in the lock file.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOpenApi } from '@keyrail/protocol/openapi.ts';
import { ecosystem } from './ecosystem.ts';
import {
  compile,
  install,
  linkTypes,
  type Name,
  names,
  npm,
  type Packed,
  pack,
  root,
  temporaryFolder,
} from './packing.ts';

const TOOLS = {
  publint: '0.3.25',
  '@arethetypeswrong/cli': '0.18.5',
  '@redocly/cli': '2.73.0',
  '@stoplight/spectral-cli': '6.16.3',
  typescript: '5.9.3',
  'typescript-5-0': 'npm:typescript@5.0.4',
  'typescript-5-5': 'npm:typescript@5.5.4',
};
const TOOL_MS_MAX = 120_000;
/** The time limit for installing, building and serving every supported major version of Next.js. */
const NEXT_MS_MAX = 900_000;

type Finding = { check: string; report: string };
type Check = (packed: Packed, folder: string, bin: string) => Promise<string>;

const checks: Record<string, { packages: readonly Name[]; check: Check }> = {
  publint: {
    packages: names,
    check: async ({ tarball }, folder, bin) => {
      const { output } = await runTool(join(bin, 'publint'), ['run', tarball], folder);
      // publint's exit code doesn't reflect suggestions, so its output is checked instead.
      return output.includes('All good!') ? '' : output;
    },
  },
  // The CLI has no exports to import, so it has no types.
  'are the types wrong': { packages: ['sdk', 'client'], check: areTypesWrong() },
  'are the types wrong, as ESM': {
    packages: ['widget'],
    check: areTypesWrong('--profile', 'esm-only'),
  },
  'resolution node10': { packages: ['sdk', 'client'], check: compileClassic },
  'TypeScript 5.0': { packages: ['sdk', 'client'], check: compileWith('typescript-5-0') },
  'TypeScript 5.5': { packages: ['sdk', 'client'], check: compileWith('typescript-5-5') },
  'current TypeScript': { packages: ['sdk', 'client'], check: compileWith(null) },
};

const OPENAPI = 'openapi.json';

const openApiChecks: Record<string, (folder: string, bin: string) => Promise<string>> = {
  redocly: async (folder, bin) => {
    const rules = {
      // Keyrail's owner hasn't granted a licence, so there is no text to refer to.
      'info-license-strict': 'off',
    };
    const config = join(folder, 'redocly.yaml');
    await writeFile(config, JSON.stringify({ extends: ['recommended'], rules }));
    const args = ['lint', OPENAPI, '--config', config, '--format', 'json'];
    const { ok, output } = await runTool(join(bin, 'redocly'), args, folder);
    return ok && output.includes('"warnings": 0,') ? '' : output;
  },
  spectral: async (folder, bin) => {
    const ruleset = join(folder, 'spectral.json');
    await writeFile(ruleset, JSON.stringify({ extends: ['spectral:oas'] }));
    const args = ['lint', OPENAPI, '--ruleset', ruleset, '--fail-severity', 'hint'];
    const { ok, output } = await runTool(join(bin, 'spectral'), args, folder);
    return ok ? '' : output;
  },
};

async function openApiFindings(folder: string, bin: string): Promise<Finding[]> {
  const document = buildOpenApi({ url: 'https://keys.example.net', version: '0.0.0' });
  await writeFile(join(folder, OPENAPI), JSON.stringify(document, null, 2));
  const findings: Finding[] = [];
  for (const [title, check] of Object.entries(openApiChecks)) {
    findings.push(...reported(`openapi: ${title}`, await check(folder, bin)));
  }
  return findings;
}

/** Prints the outcome of a check. An empty report means that it passed. */
function reported(check: string, report: string): Finding[] {
  console.log(`${report === '' ? 'ok  ' : 'FAIL'} ${check}`);
  return report === '' ? [] : [{ check, report }];
}

type ToolRun = { ok: boolean; output: string };

async function runTool(tool: string, args: readonly string[], cwd: string): Promise<ToolRun> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return promisify(execFile)(tool, args, { cwd, env, timeout: TOOL_MS_MAX }).then(
    ({ stdout, stderr }) => ({ ok: true, output: `${stdout}${stderr}` }),
    ({ stdout, stderr, message }) => ({ ok: false, output: `${stdout}${stderr}` || message }),
  );
}

function areTypesWrong(...more: string[]): Check {
  return async ({ tarball }, folder, bin) => {
    const args = [tarball, '--format', 'ascii', '--no-color', ...more];
    const { ok, output } = await runTool(join(bin, 'attw'), args, folder);
    return ok ? '' : output;
  };
}

/**
 * Leaves out the Node.js types, which need a newer compiler. `null` selects the clone's compiler.
 */
function compileWith(tool: string | null): Check {
  return async (packed, folder, bin) => {
    const project = await projectOf(packed, folder);
    const from = join(root, 'packages', packed.name, 'test/consumer.mts');
    await cp(from, join(project, 'consumer.mts'));
    const lib = ['es2022', 'dom', 'dom.iterable'];
    const compilerOptions = { module: 'nodenext', moduleResolution: 'nodenext', lib, types: [] };
    const compilation = { files: ['consumer.mts'], compilerOptions };
    if (tool === null) return compile(project, compilation);
    return compile(project, compilation, join(bin, '..', tool, 'bin/tsc'));
  };
}

/** Returns the project where the package is installed. Several checks share it. */
async function projectOf(packed: Packed, folder: string): Promise<string> {
  const project = join(folder, `project-${packed.name}`);
  return existsSync(project) ? project : install([packed], folder);
}

async function compileClassic(packed: Packed, folder: string, bin: string): Promise<string> {
  const project = await projectOf(packed, folder);
  await cp(join(root, 'packages', packed.name, 'test/consumer.cts'), join(project, 'consumer.ts'));
  await linkTypes(project, ['@types/node', 'undici-types']);
  const compilerOptions = { module: 'commonjs', moduleResolution: 'node10', types: ['node'] };
  return compile(project, { files: ['consumer.ts'], compilerOptions }, join(bin, 'tsc'));
}

async function installTools(folder: string): Promise<string> {
  const tools = join(folder, 'tools');
  await mkdir(tools);
  await writeFile(join(tools, 'package.json'), JSON.stringify({ dependencies: TOOLS }));
  await npm(['install', '--no-audit', '--no-fund', '--silent'], tools);
  return join(tools, 'node_modules/.bin');
}

/** Builds and serves the example with every supported major version of Next.js. */
async function checkNext(): Promise<string> {
  const test = join(root, 'tests/packages/next.test.ts');
  const args = ['--conditions=keyrail-source', '--test', '--test-reporter=spec', test];
  const env = { ...process.env, KEYRAIL_TEST_NEXT: '14,15,16' };
  const run = { cwd: root, env, timeout: NEXT_MS_MAX };
  const ended = await promisify(execFile)(process.execPath, args, run).catch((error) => error);
  const output = String(ended.stdout);
  return /^ℹ pass 3$/m.test(output) ? '' : output || String(ended);
}

/** Lists everything still to be decided before publication. This doesn't fail the check. */
async function missingForPublication(name: Name): Promise<string[]> {
  const folder = join(root, 'packages', name);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const wanted = ['license', 'repository', 'homepage', 'bugs', 'publishConfig'];
  const missing = wanted.filter((field) => manifest[field] === undefined);
  if (!existsSync(join(folder, 'LICENSE'))) missing.push('LICENSE');
  if (manifest.private) missing.push('still private');
  return missing;
}

async function findingsIn(folder: string): Promise<Finding[]> {
  const bin = await installTools(folder);
  const findings = await openApiFindings(folder, bin);
  const all = await pack(names, folder);
  for (const packed of all) {
    const { name } = packed;
    for (const [title, { packages, check }] of Object.entries(checks)) {
      if (!packages.includes(name)) continue;
      findings.push(...reported(`${name}: ${title}`, await check(packed, folder, bin)));
    }
  }
  const [sdk] = all;
  for (const { title, report } of sdk ? await ecosystem(sdk, folder) : []) {
    findings.push(...reported(`sdk: ${title}`, report));
  }
  findings.push(...reported('sdk: Next.js 14, 15 and 16', await checkNext()));
  for (const name of names) {
    const missing = await missingForPublication(name);
    if (missing.length > 0)
      console.log(`missing before ${name} can be published: ${missing.join(', ')}`);
  }
  return findings;
}

const folder = await temporaryFolder();
try {
  const findings = await findingsIn(folder);
  for (const { check, report } of findings) console.error(`\n${check}\n${report.trim()}`);
  console.log(`${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
