// Lends connections of a bounded pool, one borrower at a time. One that timed out or broke is
// destroyed, never lent again; the embedded store's only one is wound back first.
import type pg from 'pg';
import type { Deadline } from '../base/deadline.ts';
import type { Database } from './database.ts';
import { StoreUnavailable, spoilsConnection } from './faults.ts';

export type LenderParts = {
  kind: Database['kind'];
  pool: pg.Pool;
  /** More waiting than this is refused at once: a queue that long cannot be served in time. */
  waitingMax: number;
};

export type Lend = <T>(
  deadline: Deadline,
  use: (client: pg.PoolClient) => Promise<T>,
) => Promise<T>;

export function lender({ kind, pool, waitingMax }: LenderParts): Lend {
  const { giveBack, discard } = returns[kind];
  // Not the pool's own count, in which those who gave up stay for a while.
  let waiting = 0;

  async function acquire(deadline: Deadline): Promise<pg.PoolClient> {
    if (waiting >= waitingMax) throw new StoreUnavailable('too many waiting');
    waiting += 1;
    const asked = pool.connect();
    const waited = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => waited.reject(new StoreUnavailable('no connection in time')),
      Math.max(0, deadline.remainingMs()),
    );
    try {
      return await Promise.race([asked, waited.promise]);
    } catch (error) {
      asked.then(
        (late) => late.release(),
        () => {},
      );
      throw error;
    } finally {
      waiting -= 1;
      clearTimeout(timer);
    }
  }

  /** Lends a connection; what comes back broken is not lent again. */
  async function lend<T>(
    deadline: Deadline,
    use: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await acquire(deadline);
    let broken = false;
    try {
      return await use(client);
    } catch (error) {
      broken = spoilsConnection(error);
      throw error;
    } finally {
      // Also one whose transaction could not be ended, whatever the reason.
      if (broken || client.getTransactionStatus() !== 'I') discard(client);
      else giveBack(client);
    }
  }

  return lend;
}

type Returned = (client: pg.PoolClient) => void;

/** How a connection goes back to each kind of store: clean, or spoilt. */
const returns: Record<Database['kind'], { giveBack: Returned; discard: Returned }> = {
  postgres: {
    giveBack: (client) => client.release(),
    discard: (client) => client.release(true),
  },
  embedded: {
    // Its statements run on the event loop without ever waiting for it: lent on at once, the
    // connection would keep a long list of borrowers busy while sockets and timers stand still.
    giveBack: (client) => void setImmediate(() => client.release()),
    discard: windBack,
  },
};

/**
 * Every connection to the embedded store is the same session: a new one would find the old
 * transaction open and the old answers still coming. So it first ends what it was sent.
 */
function windBack(client: pg.PoolClient): void {
  client.query('rollback').then(
    () => client.release(),
    () => client.release(true),
  );
}
