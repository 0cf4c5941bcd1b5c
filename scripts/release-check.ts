/**
 * Checks the packages as they would be published: publint and "are the types wrong" must report
 * nothing, and the declarations must compile with the classic resolution of TypeScript 5, which
 * TypeScript 7 no longer has. The tools are needed only here, so they are installed into a
 * temporary folder and are not in the lock file.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

const TOOLS = { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5', typescript: '5.9.3' };
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

type ToolRun = { ok: boolean; output: string };

async function runTool(tool: string, args: readonly string[], cwd: string): Promise<ToolRun> {
  return promisify(execFile)(tool, args, { cwd, timeout: TOOL_MS_MAX }).then(
    ({ stdout, stderr }) => ({ ok: true, output: `${stdout}${stderr}` }),
    ({ stdout, stderr, message }) => ({ ok: false, output: `${stdout}${stderr}` || message }),
  );
}

async function compileClassic(packed: Packed, folder: string, bin: string): Promise<string> {
  const project = await install(packed, folder);
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
  const findings: Finding[] = [];
  for (const name of names) {
    const packed = await pack(name, folder);
    for (const [title, { packages, check }] of Object.entries(checks)) {
      if (!packages.includes(name)) continue;
      const report = await check(packed, folder, bin);
      console.log(`${report === '' ? 'ok  ' : 'FAIL'} ${name}: ${title}`);
      if (report !== '') findings.push({ check: `${name}: ${title}`, report });
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
