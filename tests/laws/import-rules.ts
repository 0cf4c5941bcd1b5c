/**
 * Which imports are allowed. Packages import each other only as ARROWS allows. LINE lists the
 * server's folders and root files, and each imports only from earlier entries. Inside a feature, a
 * file's kind determines what it may import (see feature-kinds.ts), as do the SDK's folders (see
 * sdk-modules.ts) and the dashboard's layers (see dashboard-layers.ts). Tests may import anything,
 * and no package imports tests.
 */
import { dashboardFault } from './dashboard-layers.ts';
import { featureFault } from './feature-kinds.ts';
import { type Import, importsOf } from './imports.ts';
import { moduleFault } from './sdk-modules.ts';
import { type Fault, isTest, type Source } from './tree.ts';

type Rule = (source: Source, one: Import) => string | null;

const ARROWS: Record<string, string[]> = {
  protocol: [],
  client: ['protocol'],
  reference: ['protocol'],
  server: ['protocol', 'reference'],
  sdk: ['protocol'],
  cli: ['client', 'protocol'],
  edge: ['protocol', 'sdk'],
  dashboard: ['client', 'protocol', 'widget'],
  widget: ['client', 'protocol'],
};

/** These packages may import only `wire` from the protocol, because the rest pulls in zod. */
const TAKES_WIRE = ['sdk', 'client', 'cli', 'edge', 'dashboard', 'widget'];
const WIRE = 'packages/protocol/src/wire/';

const LINE = [
  ['base'],
  ['db', 'volatile'],
  ['doors'],
  ['observe'],
  ['signing'],
  ['access'],
  ['http'],
  ['features'],
  ['settings'],
  ['retention.ts'],
  ['config.ts', 'routes.ts', 'worker.ts'],
  ['backup'],
  ['app.ts'],
  ['doctor'],
  ['commands'],
  ['main.ts'],
];

const SERVER = 'packages/server/src/';
const HOLD_DB = ['db', 'doors', 'backup', 'app.ts', 'doctor', 'commands'];
/**
 * Files with row queries may use the statement builder and the table types, because neither gives
 * access to a connection.
 */
const ROWS_MAY_USE = [`${SERVER}db/sql.ts`, `${SERVER}db/tables.ts`];
/**
 * Folders that open database connections: `db` has the pool, and backups and the doctor connect on
 * their own.
 */
const DATABASE = ['db', 'backup', 'doctor'];
/** Third-party packages, each with the only folders of the server that may import it. */
const KEPT_IN: Record<string, readonly string[]> = {
  fastify: ['http'],
  pg: DATABASE,
  ioredis: ['volatile'],
  jose: ['signing'],
  '@opentelemetry/api': ['observe'],
  '@opentelemetry/core': ['observe'],
  '@opentelemetry/resources': ['observe'],
  '@opentelemetry/sdk-trace': ['observe'],
  '@opentelemetry/exporter-trace-otlp-http': ['observe'],
  '@opentelemetry/exporter-trace-otlp-proto': ['observe'],
  '@electric-sql/pglite': DATABASE,
};

const rulesOfProduct: Rule[] = [
  packageFault,
  wireFault,
  foreignFault,
  lineFault,
  dbFault,
  kindFault,
  sdkFault,
  layerFault,
];

export function importFaults(source: Source): Fault[] {
  const { path } = source;
  const rules = [extensionFault, ...(isTest(path) ? [] : rulesOfProduct)];
  const faults = importsOf(source).flatMap((one) =>
    rules.flatMap((rule) => {
      const says = rule(source, one);
      return says === null ? [] : [{ path, line: one.line, says }];
    }),
  );
  return [...placeFaults(source), ...indexFaults(source), ...faults];
}

const packageOf = (path: string) => path.match(/^packages\/([^/]+)\//)?.[1] ?? null;

/** A folder of the server, or a file in its root folder. */
function sectionOf(path: string): string | null {
  return path.startsWith(SERVER) ? (path.slice(SERVER.length).split('/')[0] ?? null) : null;
}

const rankOf = (section: string) => LINE.findIndex((group) => group.includes(section));

function extensionFault(_: Source, { specifier, target }: Import): string | null {
  const ours = target !== null || /^@keyrail\/(?!sdk\b)[^/]+\//.test(specifier);
  if (!ours || /\.(ts|tsx|mjs|json|css|svg|sql|lua)$/.test(specifier)) return null;
  return `the import of ${specifier} has no file extension`;
}

function packageFault({ path }: Source, { specifier, target, typeOnly }: Import): string | null {
  const from = packageOf(path);
  if (from === null) return null;
  if (target !== null && !target.startsWith(`packages/${from}/`)) {
    return `${target} is outside the package`;
  }
  const [, to, file] = specifier.match(/^@keyrail\/([^/]+)(?:\/(.*))?$/) ?? [];
  if (to === undefined) return null;
  if (!ARROWS[from]?.includes(to)) return `${from} may not import ${to}`;
  if (to === 'protocol' && TAKES_WIRE.includes(from) && !typeOnly && !file?.startsWith('wire/')) {
    return `${from} may import only types and wire/ from protocol`;
  }
  return null;
}

function wireFault({ path }: Source, { specifier, target }: Import): string | null {
  if (!path.startsWith(WIRE) || specifier.startsWith('node:') || target?.startsWith(WIRE)) {
    return null;
  }
  return 'protocol/wire imports only itself and Node';
}

function foreignFault({ path }: Source, { specifier, target, typeOnly }: Import): string | null {
  if (target !== null || /^(node:|@keyrail\/)/.test(specifier)) return null;
  const name = specifier.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? specifier;
  const from = packageOf(path);
  if (name === 'zod' && from !== 'protocol' && !(from === 'server' && typeOnly)) {
    return 'only protocol imports zod (the server may use its types)';
  }
  if (from === 'protocol' && name !== 'zod') return 'protocol imports only zod';
  if (from === 'client') return 'client has no dependencies';
  if (from === 'sdk' && !typeOnly) return 'sdk imports only types of frameworks';
  const homes = KEPT_IN[name];
  const section = sectionOf(path);
  if (section === null || homes === undefined || homes.includes(section)) return null;
  return section === 'app.ts' && typeOnly ? null : `only ${homes.join('/, ')}/ may import ${name}`;
}

function lineFault({ path }: Source, { target }: Import): string | null {
  const from = sectionOf(path);
  const to = target === null ? null : sectionOf(target);
  if (from === null || to === null || from === to) return null;
  if (rankOf(from) === -1 || rankOf(to) < rankOf(from)) return null;
  return `${from} precedes ${to} and may not import it`;
}

function dbFault({ path }: Source, { target }: Import): string | null {
  const from = sectionOf(path);
  if (from === null || target === null || sectionOf(target) !== 'db') return null;
  if (HOLD_DB.includes(from)) return null;
  if (/(^|[./])rows\.ts$/.test(path) && ROWS_MAY_USE.includes(target)) return null;
  return 'only doors and the composition roots import db; rows.ts may use its sql.ts and tables.ts';
}

function kindFault({ path }: Source, one: Import): string | null {
  const isFeature = (at: string) => sectionOf(at) === 'features';
  if (one.target === null || !isFeature(path) || !isFeature(one.target)) return null;
  return featureFault({ from: path, to: one.target, typeOnly: one.typeOnly });
}

function sdkFault({ path }: Source, { target }: Import): string | null {
  return target === null ? null : moduleFault({ from: path, to: target });
}

function layerFault({ path }: Source, { target }: Import): string | null {
  return target === null ? null : dashboardFault({ from: path, to: target });
}

function placeFaults({ path }: Source): Fault[] {
  const section = sectionOf(path);
  if (section === null || isTest(path) || rankOf(section) !== -1) return [];
  return [
    {
      path,
      line: 1,
      says: `${section} is not in LINE, the order of the server's folders and root files`,
    },
  ];
}

/**
 * Rejects index files, which hide where an export comes from, as do default exports and `export *`.
 * The linter already rejects those.
 */
function indexFaults({ path }: Source): Fault[] {
  const isSurface = /^packages\/(sdk|client|widget)\/src\/index\.ts$/.test(path);
  if (isSurface || !/(^|\/)index\.\w+$/.test(path)) return [];
  return [{ path, line: 1, says: 'only the published packages have an index' }];
}
