// Verifies the audit log in three ways: a worker recomputes every hash, the server reports its own
// result, and the log must still contain the last row this browser verified.
import type { Answer } from '@keyrail/client';
import { useEffect, useRef, useState } from 'react';
import { useSend } from '../../api/query.ts';
import { sessionState } from '../../api/session.ts';
import { nowMs } from '../../clock.ts';
import type { Break, Head } from '../../parts/audit-log/chain.ts';
import type { ChainReport, ChainRequest } from '../../parts/audit-log/chain-messages.ts';
import { openWorker } from '../../worker.ts';
import { type RememberedHead, rememberedHead, rememberHead } from './remembered-head.ts';

type ServerVerdict = Answer<'GET /v1/audit_logs/chain'>;
type Hashing = Extract<ChainReport, { kind: 'progress' }>['hashing'];

type Progress = { checked: number; rowsPerSecond: number };

export type Finished = Progress & {
  head: Head;
  broken: Break | null;
  hashing: Hashing;
  tookMs: number;
  /** The latest row verified before this check. */
  before: RememberedHead | null;
  isRemembered: boolean;
};

export type ChainCheck =
  | { status: 'idle' }
  | ({ status: 'running' } & Progress)
  | ({ status: 'done' } & Finished)
  | ({ status: 'failed'; message: string } & Progress);

export type Verdict =
  | { status: 'waiting' }
  | { status: 'known'; verdict: ServerVerdict; hashHere: string | null }
  | { status: 'failed'; error: Error };

/** Identifies one run, so that late messages from an earlier worker are ignored. */
type Run = { worker: Worker; startedMs: number; before: RememberedHead | null };

export function useChainCheck(workspaceId: string) {
  const [check, setCheck] = useState<ChainCheck>({ status: 'idle' });
  const [verdict, setVerdict] = useState<Verdict>({ status: 'waiting' });
  const run = useRef<Run>(null);
  const send = useSend();
  useEffect(() => () => run.current?.worker.terminate(), []);
  const stop = () => {
    run.current?.worker.terminate();
    run.current = null;
    setCheck({ status: 'idle' });
  };
  const start = () => {
    const session = sessionState();
    if (session.status !== 'in') return;
    run.current?.worker.terminate();
    const worker = openWorker('audit-chain');
    const started: Run = { worker, startedMs: nowMs(), before: rememberedHead(workspaceId) };
    run.current = started;
    setCheck({ status: 'running', checked: 0, rowsPerSecond: 0 });
    setVerdict({ status: 'waiting' });
    readVerdict(send).then(
      (known) => run.current === started && setVerdict(known),
      (error: unknown) =>
        run.current === started && setVerdict({ status: 'failed', error: asError(error) }),
    );
    worker.onmessage = ({ data: report }: MessageEvent<ChainReport>) => {
      const next = stateOf(report, started, workspaceId);
      if (next.status !== 'running') worker.terminate();
      setCheck(next);
    };
    worker.onerror = ({ message }) =>
      setCheck({ status: 'failed', message, checked: 0, rowsPerSecond: 0 });
    const { before } = started;
    const request: ChainRequest = {
      url: location.origin,
      token: session.session.token,
      workspaceId,
      remembered: before && { seq: before.seq, hash: before.hash },
    };
    worker.postMessage(request);
  };
  return { check, verdict, start, stop };
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/**
 * Loads the server's verification result. Also loads the log's latest row, to compare its hash with
 * the one in the result.
 */
async function readVerdict(send: ReturnType<typeof useSend>): Promise<Verdict> {
  const verdict = await send('GET /v1/audit_logs/chain', {});
  const { head_seq: seq } = verdict;
  if (seq === 0) return { status: 'known', verdict, hashHere: verdict.head_hash };
  const { data: rows } = await send('GET /v1/audit_logs', {
    query: { after_seq: seq - 1, limit: 1 },
  });
  return { status: 'known', verdict, hashHere: rows[0]?.seq === seq ? rows[0].hash : null };
}

function stateOf(report: ChainReport, run: Run, workspaceId: string): ChainCheck {
  const tookMs = Math.max(1, nowMs() - run.startedMs);
  const checked = report.kind === 'done' ? report.head.seq : report.checked;
  const progress = { checked, rowsPerSecond: Math.round((checked * 1000) / tookMs) };
  if (report.kind === 'progress') return { status: 'running', ...progress };
  if (report.kind === 'failed') return { status: 'failed', message: report.message, ...progress };
  const { head, broken, hashing } = report;
  // The latest row is only remembered if the chain is intact. Otherwise, a broken chain would
  // replace the row remembered from an intact one.
  const isRemembered = broken === null && rememberHead(workspaceId, head, new Date(nowMs()));
  const { before } = run;
  return { status: 'done', ...progress, head, broken, hashing, tookMs, before, isRemembered };
}
