import type { Answer } from '@keyrail/client';

type Status = Answer<'GET /status'>;
type Component = keyof Status['components'];
type ComponentState = Status['status'];

const components: Readonly<Record<Component, { name: string; about: string }>> = {
  api: { name: 'API', about: 'handles requests and serves this page' },
  database: { name: 'Database', about: 'stores everything that must not be lost' },
  redis: { name: 'Redis', about: 'counts rate limits across servers' },
  worker: { name: 'Worker', about: 'sends email and runs background jobs' },
  backup: { name: 'Backup', about: 'copies the database to the worker’s backup directory' },
};

type BackupPlace = NonNullable<Answer<'GET /v1/deployment'>['backups']>;

const backups: Readonly<Record<BackupPlace, string>> = {
  inside: 'copies the database into the server’s data directory',
  outside: 'copies the database into the directory set with KEYRAIL_BACKUP_DIR',
};

const states: Readonly<Record<ComponentState, { name: string; about: string }>> = {
  ok: { name: 'Operational', about: 'Working normally.' },
  degraded: { name: 'Degraded', about: 'Partly working, or slower than usual. Nothing is lost.' },
  down: { name: 'Down', about: 'Not working. Requests that need it fail.' },
  not_configured: { name: 'Not configured', about: 'This server is set up to run without it.' },
  unknown: { name: 'Unknown', about: 'Not checked yet.' },
};

const headlines: Readonly<Record<ComponentState, string>> = {
  ok: 'All systems operational',
  degraded: 'Some systems are degraded',
  down: 'Some systems are down',
  not_configured: 'Not configured',
  unknown: 'Not checked yet',
};

export const texts = {
  title: 'System status',
  failed: 'Couldn’t load the server’s status.',
  components,
  backups,
  sameDisk:
    'If the data directory is lost, so are the backups. Copy them to another machine, or point KEYRAIL_BACKUP_DIR at another disk.',
  states,
  headlines,
  nodes: 'Your processes verify keys locally, so they keep working while this server is down.',
  list: 'Components',
  ready: 'Readiness',
  readyYes: 'Accepting requests',
  readyNo: 'Not accepting requests: the database isn’t responding.',
  redisFault: (reason: string) => `Redis: ${reason}`,
  restore: 'Last restore test',
  never: 'never',
  passed: 'passed',
  failedTest: 'failed',
  version: 'Version',
  region: 'Region',
  address: 'URL',
  meanings: 'What the states mean',
  insecure: 'This page isn’t encrypted',
  insecureText:
    'It was served over plain HTTP, so passwords and keys cross the network unencrypted, and your browser blocks the clipboard. Put a TLS proxy in front of the server.',
  signIn: 'Sign in',
  back: 'Go to your workspaces',
};
