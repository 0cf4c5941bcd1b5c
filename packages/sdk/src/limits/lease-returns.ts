// Returns unused units to the shared counters: a key's units once it stops getting requests, and
// all keys' units when the node closes.
import type { Clock } from '../clock.ts';
import type { CounterCalls } from './counter-calls.ts';
import type { HeldUnits, Moment } from './held-units.ts';

type LeaseReturns = {
  /**
   * Starts watching a key: its unused units are returned once it has had no requests for a while.
   */
  watch(held: HeldUnits): void;
  /** Returns the unused units of these keys, within the timeout. */
  close(keys: readonly HeldUnits[], timeoutMs: number): Promise<void>;
};

const SWEEP_MS = 500;
const RETURNS_AT_ONCE_MAX = 16;

type ReturnParts = { calls: CounterCalls; clock: Clock; moment(): Moment };

export function createLeaseReturns({ calls, clock, moment }: ReturnParts): LeaseReturns {
  const holding = new Set<HeldUnits>();
  let atOnce = 0;
  let isSweeping = false;
  let isClosed = false;

  async function giveBack(held: HeldUnits): Promise<void> {
    await held.asking;
    holding.delete(held);
    for (const lease of held.takeUnused()) await calls.giveBack(held.subject, held.rules, lease);
  }

  async function giveBackSilent(held: HeldUnits): Promise<void> {
    atOnce += 1;
    await giveBack(held);
    atOnce -= 1;
  }

  /**
   * Returns the units of up to RETURNS_AT_ONCE_MAX idle keys; the others wait for the next sweep.
   */
  function sweep(): void {
    const now = moment();
    for (const held of holding) {
      if (held.asking !== null) continue;
      if (!held.isHolding(now)) holding.delete(held);
      else if (held.isSilent(now.monotonicMs) && atOnce < RETURNS_AT_ONCE_MAX)
        void giveBackSilent(held);
    }
    isSweeping = false;
    startSweep();
  }

  function startSweep(): void {
    if (isSweeping || isClosed || holding.size === 0) return;
    isSweeping = true;
    clock.after(SWEEP_MS, sweep);
  }

  async function inTurn(keys: Iterator<HeldUnits>): Promise<void> {
    for (let next = keys.next(); !next.done && !isOver; next = keys.next()) {
      await giveBack(next.value);
    }
  }

  let isOver = false;
  return {
    watch(held) {
      holding.add(held);
      startSweep();
    },
    async close(keys, timeoutMs) {
      isClosed = true;
      const all = new Set([...keys, ...holding]);
      const turns = [...all].filter(({ left, asking }) => left > 0 || asking !== null).values();
      let cancel = () => {};
      const over = new Promise<void>((resolve) => {
        cancel = clock.after(timeoutMs, resolve);
      });
      const work = Array.from({ length: RETURNS_AT_ONCE_MAX }, () => inTurn(turns));
      await Promise.race([Promise.all(work), over]);
      isOver = true;
      cancel();
    },
  };
}
