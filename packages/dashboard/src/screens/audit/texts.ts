import type { Break } from '../../parts/audit-log/chain.ts';
import { count, durationText } from '../../ui/content/spans.ts';

const entries = (total: number): string => (total === 1 ? '1 entry' : `${count(total)} entries`);

const reasons: Readonly<Record<Break['reason'], (seq: string) => string>> = {
  missing: (seq) => `Entry ${seq} is missing.`,
  unlinked: (seq) => `Entry ${seq} doesn’t link to the entry before it.`,
  edited: (seq) => `Entry ${seq} has been altered: its content doesn’t match its hash.`,
  replaced: (seq) => `Entry ${seq} isn’t the one this browser saw before.`,
  cut: (seq) =>
    `The end of the log has been cut off: it stops before entry ${seq}, which this browser has seen.`,
};

export const texts = {
  title: 'Audit log',
  lead: 'Every change in this workspace. Each entry is linked to the one before it by a hash.',
  list: 'Audit log entries',
  failed: 'Couldn’t load the audit log.',
  filters: {
    label: 'Filter audit log',
    action: 'Action',
    actor: 'Actor',
    targetId: 'Target ID',
    from: 'From',
    to: 'To',
    none: 'No matching entries',
    noneText: 'Remove a filter to see more.',
    clear: 'Clear filters',
  },
  emptyTitle: 'No entries yet',
  empty: 'Every change appears here, along with the person or secret key behind it.',
  columns: { seq: 'Entry', what: 'What happened', when: 'When', env: 'Environment' },
  row: (seq: number) => `Entry ${count(seq)}`,
  goTo: 'Go to entry',
  go: 'Go',
  export: {
    label: 'Export',
    running: (total: number) => `Stop (${count(total)} entries so far)`,
    done: (total: number) => `${entries(total)} exported.`,
    partial: (total: number) =>
      `Exported the first ${entries(total)}. To get the rest, export shorter time ranges.`,
    failed: 'The export stopped because the log couldn’t be loaded.',
  },
  chain: {
    title: 'Verify the log',
    lead: 'Your browser downloads the whole log and recomputes every hash, so you don’t have to trust the server’s result.',
    start: 'Verify log',
    again: 'Verify again',
    stop: 'Stop',
    never: 'Not verified in this browser yet.',
    last: (seq: number) => `Last verified here up to entry ${count(seq)},`,
    progress: 'Entries verified',
    position: (checked: number, total: number) => `${count(checked)} of ${count(total)}`,
    rate: (perSecond: number) => `${count(perSecond)} entries per second`,
    whole: (total: number) => `${entries(total)}, intact`,
    broken: (seq: number) => `Broken at entry ${count(seq)}`,
    here: 'This browser',
    hereWhole: (total: number, tookMs: number) =>
      `Recomputed the hashes of ${entries(total)} in ${durationText(tookMs)}. They all match.`,
    hereBroken: ({ seq, reason }: Break, fine: number) =>
      `${reasons[reason](count(seq))} ${fine === 0 ? '' : `The ${entries(fine)} before it ${fine === 1 ? 'matches' : 'match'}.`}`,
    hashing: {
      webcrypto: 'Hashed with WebCrypto.',
      script: 'Hashed in JavaScript, because this page isn’t served over HTTPS.',
    },
    head: 'Latest hash',
    server: 'The server',
    serverWaits: 'The server is verifying too…',
    serverWhole: (total: number) => `The server agrees: ${entries(total)}, same latest hash.`,
    serverSame: (seq: number) => `The server reports the same break, at entry ${count(seq)}.`,
    serverHidden: 'The server says the log is intact. Trust your browser’s result instead.',
    serverBroken: (seq: number, reason: string | null) =>
      `The server reports a break at entry ${count(seq)}. ${reason ?? ''}`,
    serverHead: 'The server’s hash for its latest entry doesn’t match the one in the log.',
    serverMore: (seq: number) =>
      `The server’s log goes up to entry ${count(seq)}. Either entries were added in the meantime, or some are being withheld. Verify again.`,
    serverFailed: 'Couldn’t load the server’s result.',
    visit: 'Your last visit',
    visitFirst:
      'This is the first verification in this browser. The next one will be compared with it.',
    visitSame: (seq: number) => `Entry ${count(seq)} is unchanged since this browser saw it,`,
    visitCut: (seq: number) =>
      `Entry ${count(seq)} has disappeared since this browser verified it,`,
    visitReplaced: (seq: number) =>
      `Entry ${count(seq)} is different from the one this browser saw,`,
    visitUnknown: (seq: number) =>
      `Verification stopped before entry ${count(seq)}, which this browser saw`,
    notStored:
      'This browser doesn’t allow storage, so the next verification can’t be compared with this one.',
    forget: 'Forget this result',
    failed: (checked: number) => `Verification stopped after ${entries(checked)}.`,
    openRow: (seq: number) => `Open entry ${count(seq)}`,
  },
  entry: {
    gone: 'Entry not found',
    goneText: (seq: number) => `The log has no entry ${count(seq)}, at least not yet.`,
    back: 'Back to the log',
    failed: 'Couldn’t load the entry.',
    previous: 'Previous entry',
    next: 'Next entry',
    changes: 'Changes',
    facts: 'Details',
    when: 'When',
    actor: 'Actor',
    action: 'Action',
    target: 'Target',
    id: 'ID',
    hashes: 'Hashes',
    prev: 'Previous entry',
    own: 'This entry',
    fits: 'Recomputed here: matches',
    edited: 'Recomputed here: doesn’t match',
    linked: 'Links to the previous entry',
    unlinked: 'Doesn’t link to the previous entry',
    raw: 'Raw JSON',
    copyRaw: 'Copy raw JSON',
  },
};
