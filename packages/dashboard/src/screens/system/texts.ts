import type { Answer } from '@keyrail/client';

type Status = Answer<'GET /status'>;
type Component = keyof Status['components'];
type ComponentState = Status['status'];

const components: Readonly<Record<Component, { name: string; about: string }>> = {
  api: { name: 'API', about: 'answers requests and serves this page' },
  database: { name: 'Database', about: 'stores everything that must not be lost' },
  redis: { name: 'Redis', about: 'counts limits across several servers' },
  worker: { name: 'Worker', about: 'sends mail and tidies up in the background' },
  backup: { name: 'Backup', about: 'copies the database to where the worker’s settings say' },
};

type BackupPlace = NonNullable<Answer<'GET /v1/deployment'>['backups']>;

const backups: Readonly<Record<BackupPlace, string>> = {
  inside: 'copies the database into the data directory of the server',
  outside: 'copies the database into the directory set with KEYRAIL_BACKUP_DIR',
};

const states: Readonly<Record<ComponentState, { name: string; about: string }>> = {
  ok: { name: 'Works', about: 'It does what it should.' },
  degraded: { name: 'Degraded', about: 'It works in part, or more slowly. Nothing is lost.' },
  down: { name: 'Down', about: 'It does not work. What needs it is refused.' },
  not_configured: { name: 'Not set up', about: 'This server runs without it, by choice.' },
  unknown: { name: 'Unknown', about: 'Its state has not been measured yet.' },
};

const headlines: Readonly<Record<ComponentState, string>> = {
  ok: 'Everything works',
  degraded: 'Something is degraded',
  down: 'Something is down',
  not_configured: 'Not set up',
  unknown: 'Not measured yet',
};

export const texts = {
  title: 'System',
  failed: 'The state of the server could not be read.',
  components,
  backups,
  sameDisk:
    'Backups are lost with the data directory. Copy them to another machine, or set KEYRAIL_BACKUP_DIR to another disk.',
  states,
  headlines,
  nodes: 'Keys are verified inside your own processes: they go on while this server is away.',
  list: 'Components',
  ready: 'Readiness',
  readyYes: 'Takes requests',
  readyNo: 'Takes no requests: its database does not answer.',
  redisFault: (reason: string) => `Redis: ${reason}`,
  restore: 'Last restore test',
  never: 'never',
  passed: 'passed',
  failedTest: 'failed',
  version: 'Version',
  region: 'Region',
  address: 'Address',
  meanings: 'What the states mean',
  insecure: 'This page came over plain HTTP',
  insecureText:
    'Passwords and keys cross the network unencrypted, and the browser allows no clipboard. Put a proxy with TLS in front of the server.',
  signIn: 'Sign in',
  back: 'Go to your workspaces',
};
