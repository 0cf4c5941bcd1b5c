// Records that this process is serving, with one small write (a note) every few seconds while it
// listens. A node's silence is measured in served time, so an outage of the server doesn't make
// nodes look as if they had stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../base/duration.ts';
import type { NewId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { createOutageLog } from '../../base/outage.ts';
import type { Gate } from '../../doors/gate.ts';
import { NOTES_APART_MS_MAX, noteServed, removeOldSpans, type ServedSpan } from './gate.rows.ts';

const NOTE_EVERY_MS = 5 * SECOND_MS;

export type ServingRecord = {
  /** Writes a note every few seconds until closed. */
  start(): void;
  /**
   * Writes one note, which records that the process has served since the last note, unless the last
   * note failed or is too old.
   */
  note(): Promise<void>;
  close(): Promise<void>;
};

export type ServingParts = {
  gate: Pick<Gate, 'run'>;
  newId: NewId;
  log: Log;
};

export function openServingRecord({ gate, newId, log }: ServingParts): ServingRecord {
  const stopping = new AbortController();
  const { signal } = stopping;
  const outage = createOutageLog(log, {
    begins: "failed to update this process's serving record; retrying every 5 seconds",
    ends: "resumed updating this process's serving record",
  });
  let running = Promise.resolve();
  let span: ServedSpan | null = null;

  async function note(): Promise<void> {
    const { id, notedAt } = span ?? { id: newId(), notedAt: null };
    // After a failure, the next note starts a new span, because the process may not have served in
    // the meantime.
    span = null;
    const now = await noteServed(gate, { id, notedAt });
    const passedMs = notedAt ? now.getTime() - notedAt.getTime() : -1;
    const isSameSpan = passedMs >= 0 && passedMs <= NOTES_APART_MS_MAX;
    if (!isSameSpan) await removeOldSpans(gate);
    span = { id: isSameSpan ? id : newId(), notedAt: now };
  }

  async function keepNoting(): Promise<void> {
    while (!signal.aborted) {
      await note().then(outage.over, outage.fault);
      // With `ref: false`, this timer doesn't keep the process alive.
      await sleep(NOTE_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  return {
    note,
    start() {
      running = keepNoting();
    },
    async close() {
      stopping.abort();
      await running;
    },
  };
}
