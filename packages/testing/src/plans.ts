// Records the execution plan of every statement a server sends, including statements inside
// database functions. `auto_explain` sends the plans to the server's connections as warnings.
import pg from 'pg';
import { until } from './until.ts';

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Parallel Aware'?: boolean;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
};

export type Plan = { text: string; root: PlanNode };

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  // The server's connections receive warnings, but no notices.
  'auto_explain.log_level': 'warning',
};

/** Replaces the server's own statement timeout, because reporting plans makes statements slower. */
const STATEMENT_MS_MAX = 60_000;

let heard: Plan[] = [];
let isListening = false;

/** Returns the plans recorded since the last call. */
export function takePlans(): Plan[] {
  const taken = heard;
  heard = [];
  return taken;
}

function hear({ message }: { message?: string | undefined }): void {
  const json = /^duration: [\d.]+ ms {2}plan:\n(.*)$/s.exec(message ?? '')?.[1];
  if (json === undefined) return;
  const report: { 'Query Text': string; Plan: PlanNode } = JSON.parse(json);
  heard.push({ text: report['Query Text'], root: report.Plan });
}

/**
 * Patches the prototype, because that is the only way to reach pool connections before their first
 * use.
 */
function listenToAll(): void {
  if (isListening) return;
  isListening = true;
  const { connect } = pg.Client.prototype;
  const telling: unknown = function tellingConnect(this: pg.Client, ...given: unknown[]) {
    this.on('notice', hear);
    const asked: object = Reflect.get(this, 'connectionParameters');
    Object.assign(asked, { statement_timeout: STATEMENT_MS_MAX });
    return Reflect.apply(connect, this, given);
  };
  pg.Client.prototype.connect = telling as typeof connect;
}

/** Makes every later connection from this process to the database report its plans. */
export async function tellPlans(superuserUrl: string, database: string): Promise<void> {
  listenToAll();
  const admin = new pg.Client({ connectionString: superuserUrl });
  await admin.connect();
  for (const [name, value] of Object.entries(SETTINGS)) {
    await admin.query(`alter database ${database} set ${name} = '${value}'`);
  }
  // Existing connections do not report plans, so they are terminated.
  const others = `select pid, pg_terminate_backend(pid) from pg_stat_activity
    where datname = $1 and usename = 'keyrail'`;
  const terminated = (await admin.query(others, [database])).rows.map(({ pid }) => pid);
  // Waits until those connections are closed, because a statement sent on one of them would fail.
  const remaining = 'select from pg_stat_activity where pid = any ($1::int[])';
  await until(async () => (await admin.query(remaining, [terminated])).rowCount === 0);
  await admin.end();
}

export const nodesOf = (node: PlanNode): PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(nodesOf),
];

/** Returns how many rows a plan node read, summed over all of its loops. */
export const rowsThrough = (node: PlanNode): number =>
  ((node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)) *
  (node['Actual Loops'] ?? 1);
