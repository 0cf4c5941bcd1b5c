import type { Overview } from '../../parts/traffic/ranges.ts';

type Reason = Overview['total']['denials'][number]['reason'];
type Remedy = {
  title: string;
  remedy: string;
  leads?: 'explain' | 'expired' | 'projects' | 'nodes';
};

const refusals: Readonly<Record<Reason, Remedy>> = {
  missing_key: {
    title: 'No key sent',
    remedy: 'The request had no key. Callers must send the header Authorization: Bearer <key>.',
  },
  invalid_key: {
    title: 'Invalid key',
    remedy: 'The key is unknown, revoked or disabled. Use Explain to see which.',
    leads: 'explain',
  },
  expired_key: {
    title: 'Expired key',
    remedy: 'Rotate the key, or extend its expiry.',
    leads: 'expired',
  },
  insufficient_scope: {
    title: 'Missing scope',
    remedy: 'The route requires a scope the key doesn’t have.',
    leads: 'explain',
  },
  wrong_environment: {
    title: 'Wrong environment',
    remedy: 'A test key was used on a live route, or the other way round.',
    leads: 'explain',
  },
  rate_limited: {
    title: 'Rate limited',
    remedy: 'Raise the key’s limit, or its project’s default.',
    leads: 'projects',
  },
  idempotency_in_progress: {
    title: 'Retried too soon',
    remedy:
      'The first request with this Idempotency-Key was still running. The caller should wait, then retry.',
  },
  idempotency_mismatch: {
    title: 'Idempotency-Key reused',
    remedy:
      'The same Idempotency-Key was reused for a different request. Callers need a new one for each request.',
  },
  policy_unavailable: {
    title: 'No policy yet',
    remedy: 'A node hadn’t loaded its policy yet, so it rejected every request.',
    leads: 'nodes',
  },
  other: { title: 'Other', remedy: 'A reason this version of the server doesn’t recognise.' },
};

export const texts = {
  title: 'Overview',
  figures: 'Traffic',
  requests: 'Requests',
  errorShare: 'Error rate',
  refused: 'Denied',
  p50: 'Latency p50',
  p99: 'Latency p99',
  against: { '24h': 'vs. previous 24 h', '7d': 'vs. previous 7 d' },
  same: { '24h': 'same as previous 24 h', '7d': 'same as previous 7 d' },
  nothingBefore: 'no earlier data',
  admitted: 'allowed requests',
  degraded: (requests: string) => `${requests} were decided with a stale or incomplete policy.`,
  failed: {
    summary: 'Couldn’t load the summary.',
    traffic: 'Couldn’t load traffic.',
    months: 'Couldn’t load active tenants.',
    audit: 'Couldn’t load the audit log.',
  },
  refusals: 'Denied requests by reason',
  noRefusals: 'No requests were denied in this period.',
  refusal: refusals,
  leads: {
    explain: 'Explain a key',
    expired: 'Expired keys',
    projects: 'Projects',
    nodes: 'Nodes',
  },
  nodes: 'Nodes',
  allNodes: 'All nodes',
  noNodes: 'No nodes connected.',
  connect: 'Connect a node',
  nodeStates: { current: 'Current', behind: 'Behind', away: 'Not connected' },
  lastSeen: 'Last seen',
  keys: 'Keys',
  allKeys: 'All keys',
  keyStates: {
    active: 'Active',
    expiring: 'Expire within 14 days',
    quarantined: 'Quarantined',
    unused: 'Unused for 90 days',
  },
  many: 'many',
  months: 'Active tenants',
  allMonths: 'Usage',
  tenants: (tenants: number) =>
    tenants === 1 ? '1 tenant' : `${tenants.toLocaleString('en')} tenants`,
  noMonths: 'No active tenants yet.',
  audit: 'Recent changes',
  allAudit: 'Audit log',
  noAudit: 'No changes yet.',
  lastRequest: 'Last request',
  emptyTitle: 'No requests yet',
  empty: {
    test: 'Your first verified request needs three things: a project, a key, and a node that verifies the key.',
    live: 'Traffic appears here after your first live request. Try it out in test first, then create a live key.',
  },
  start: 'Get started',
  newKey: 'Create a live key',
};
