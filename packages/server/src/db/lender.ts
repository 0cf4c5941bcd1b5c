// Lends connections of a bounded pool, one borrower at a time. One that timed out or broke is
// destroyed, never lent again; the embedded store's only one is wound back first.
import type pg from 'pg';
import { monotonicMs } from '../base/clock.ts';
import type { Deadline } from '../base/deadline.ts';
import type { Database } from './database.ts';
import { noteDriverError, StoreUnavailable, spoilsConnection } from './faults.ts';
import { type Asked, openWaitingLine, type WaitingLine } from './waiting-line.ts';

export type LenderParts = {
  kind: Database['kind'];
  pool: pg.Pool;
  /** More waiting than this is refused at once: a queue that long cannot be served in time. */
  waitingMax: number;
};

export type Lend = <T>(asked: Asked, use: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

export type Lender = { lend: Lend; expect: WaitingLine['expect'] };

export function lender({ kind, pool, waitingMax }: LenderParts): Lender {
  const { giveBack, discard } = returns[kind];
  const line = openWaitingLine({ connections: pool.options.max, waitingMax });

  /** A connection that is free, or a new one: that may take as long as the deadline allows. */
  async function connect(deadline: Deadline): Promise<pg.PoolClient> {
    const asked = pool.connect();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new StoreUnavailable('no connection in time')),
      Math.max(0, deadline.remainingMs()),
    );
    try {
      return await Promise.race([asked, late.promise]);
    } catch (error) {
      asked.then(
        (client) => client.release(),
        () => {},
      );
      throw noteDriverError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lends a connection; one that comes back broken is not lent again. */
  async function lend<T>(asked: Asked, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    await line.enter(asked);
    const lentAt = monotonicMs();
    const leave = (tookMs: number) => () => line.leave(asked.role, tookMs);
    const client = await connect(asked.deadline).catch((error: unknown) => {
      leave(monotonicMs() - lentAt)();
      throw error;
    });
    let broken = false;
    try {
      return await use(client);
    } catch (error) {
      broken = spoilsConnection(error);
      throw error;
    } finally {
      // Measured when the work ends: the connection may be given back a turn later.
      const back = leave(monotonicMs() - lentAt);
      // Also one whose transaction could not be ended, whatever the reason.
      if (broken || client.getTransactionStatus() !== 'I') discard(client, back);
      else giveBack(client, back);
    }
  }

  return { lend, expect: line.expect };
}

/** `back` is called when the connection can be lent again. */
type Returned = (client: pg.PoolClient, back: () => void) => void;

/** How a connection goes back to each kind of store: clean, or spoilt. */
const returns: Record<Database['kind'], { giveBack: Returned; discard: Returned }> = {
  postgres: {
    giveBack: (client, back) => release(client, back),
    discard: (client, back) => release(client, back, true),
  },
  embedded: {
    // Its statements run on the event loop without ever waiting for it: lent on at once, the
    // connection would keep a long list of borrowers busy while sockets and timers stand still.
    giveBack: (client, back) => void setImmediate(release, client, back),
    discard: windBack,
  },
};

function release(client: pg.PoolClient, back: () => void, isSpoilt = false): void {
  client.release(isSpoilt);
  back();
}

/**
 * Every connection to the embedded store is the same session: a new one would find the old
 * transaction open and the old answers still coming. So it first ends what it was sent.
 */
function windBack(client: pg.PoolClient, back: () => void): void {
  client.query('rollback').then(
    () => release(client, back),
    () => release(client, back, true),
  );
}
