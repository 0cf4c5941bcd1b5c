import type { Overview } from '../../parts/traffic/ranges.ts';

type Reason = Overview['total']['denials'][number]['reason'];
type Remedy = {
  title: string;
  remedy: string;
  leads?: 'explain' | 'expired' | 'projects' | 'nodes';
};

const refusals: Readonly<Record<Reason, Remedy>> = {
  missing_key: {
    title: 'No key',
    remedy: 'The caller sent none. A key belongs into the header Authorization: Bearer.',
  },
  invalid_key: {
    title: 'Invalid key',
    remedy: 'Unknown, revoked or disabled. Explain says which.',
    leads: 'explain',
  },
  expired_key: {
    title: 'Expired key',
    remedy: 'Rotate the key, or give it a later end.',
    leads: 'expired',
  },
  insufficient_scope: {
    title: 'Scope missing',
    remedy: 'The route asks for a scope that the key does not have.',
    leads: 'explain',
  },
  wrong_environment: {
    title: 'Wrong environment',
    remedy: 'A test key on a live route, or the reverse.',
    leads: 'explain',
  },
  rate_limited: {
    title: 'Rate limit',
    remedy: 'Raise the limit of the key, or the default of its project.',
    leads: 'projects',
  },
  idempotency_in_progress: {
    title: 'Repeated too early',
    remedy:
      'The first request with this Idempotency-Key still ran. The caller waits, then repeats.',
  },
  idempotency_mismatch: {
    title: 'Idempotency-Key used twice',
    remedy: 'The caller needs a new Idempotency-Key for each different request.',
  },
  policy_unavailable: {
    title: 'No policy',
    remedy: 'A node had no policy yet and refused everything.',
    leads: 'nodes',
  },
  other: { title: 'Other', remedy: 'A reason that this server does not know.' },
};

export const texts = {
  title: 'Overview',
  figures: 'Traffic',
  requests: 'Requests',
  errorShare: 'Error share',
  refused: 'Refused',
  p50: 'Latency p50',
  p99: 'Latency p99',
  against: { '24h': 'against the 24 h before', '7d': 'against the 7 days before' },
  same: { '24h': 'as in the 24 h before', '7d': 'as in the 7 days before' },
  nothingBefore: 'nothing before',
  ofRequests: (share: string) => `${share} of requests`,
  admitted: 'admitted requests',
  degraded: (requests: string) =>
    `${requests} decided by a node whose policy was stale or incomplete.`,
  failed: {
    summary: 'The summary could not be read.',
    traffic: 'Traffic could not be read.',
    months: 'Active tenants could not be read.',
    audit: 'The audit log could not be read.',
  },
  refusals: 'Refusals by reason',
  noRefusals: 'No request was refused in this time.',
  refusal: refusals,
  leads: {
    explain: 'Explain a key',
    expired: 'Expired keys',
    projects: 'Projects',
    nodes: 'Nodes',
  },
  nodes: 'Nodes',
  allNodes: 'All nodes',
  noNodes: 'No node is connected.',
  connect: 'Connect one',
  nodeStates: { current: 'Current', behind: 'Behind', away: 'Not connected' },
  lastHeard: 'Last heard',
  keys: 'Keys',
  allKeys: 'All keys',
  keyStates: {
    active: 'Active',
    expiring: 'End within 14 days',
    quarantined: 'Quarantined',
    unused: 'Unused for 90 days',
  },
  many: 'many',
  months: 'Active tenants',
  allMonths: 'Usage',
  tenants: (tenants: number) =>
    tenants === 1 ? '1 tenant' : `${tenants.toLocaleString('en')} tenants`,
  noMonths: 'No tenant was active yet.',
  audit: 'Latest changes',
  allAudit: 'Audit log',
  noAudit: 'Nothing was changed yet.',
  lastRequest: 'Last request',
  emptyTitle: 'No request yet',
  empty: {
    test: 'Three steps lead to the first verified request: a project, a key, and a node that checks it.',
    live: 'Figures appear with the first live request. Try it in test first, then create a live key.',
  },
  start: 'Start',
  newKey: 'Create a live key',
};
