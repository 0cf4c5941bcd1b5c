/**
 * Checks the packages as they would be published: publint and "are the types wrong" must report
 * nothing, and the declarations must compile with the classic resolution of TypeScript 5, which
 * TypeScript 7 no longer has. Redocly and Spectral must find nothing in the OpenAPI document. The
 * tools are needed only here, so they are installed into a temporary folder and are not in the
 * lock file.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOpenApi } from '@keyrail/protocol/openapi.ts';
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
};
const TOOL_MS_MAX = 120_000;

type Finding = { check: string; report: string };
type Check = (packed: Packed, folder: string, bin: string) => Promise<string>;

const checks: Record<string, { packages: readonly Name[]; check: Check }> = {
  publint: {
    packages: names,
    check: async ({ tarball }, folder, bin) => {
      const { output } = await runTool(join(bin, 'publint'), ['run', tarball], folder);
      // Suggestions do not change its exit code.
      return output.includes('All good!') ? '' : output;
    },
  },
  // The CLI exports nothing to import, so it has no types.
  'are the types wrong': {
    packages: ['sdk', 'client'],
    check: async ({ tarball }, folder, bin) => {
      const args = [tarball, '--format', 'ascii', '--no-color'];
      const { ok, output } = await runTool(join(bin, 'attw'), args, folder);
      return ok ? '' : output;
    },
  },
  'resolution node10': { packages: ['sdk', 'client'], check: compileClassic },
};

const OPENAPI = 'openapi.json';

const openApiChecks: Record<string, (folder: string, bin: string) => Promise<string>> = {
  redocly: async (folder, bin) => {
    const rules = {
      // The owner of Keyrail has granted no licence, so there is no text to refer to.
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

/** Prints the outcome of a check; an empty report means that it passed. */
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

async function compileClassic(packed: Packed, folder: string, bin: string): Promise<string> {
  const project = await install([packed], folder);
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

async function findingsIn(folder: string): Promise<Finding[]> {
  const bin = await installTools(folder);
  const findings = await openApiFindings(folder, bin);
  for (const packed of await pack(names, folder)) {
    const { name } = packed;
    for (const [title, { packages, check }] of Object.entries(checks)) {
      if (!packages.includes(name)) continue;
      findings.push(...reported(`${name}: ${title}`, await check(packed, folder, bin)));
    }
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
