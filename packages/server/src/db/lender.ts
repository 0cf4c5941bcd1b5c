// Lends connections from a bounded pool, each to one borrower at a time. A connection that timed
// out or broke is destroyed. The embedded store's only connection is rolled back instead.
import type pg from 'pg';
import { monotonicMs } from '../base/clock.ts';
import type { Deadline } from '../base/deadline.ts';
import type { Database } from './database.ts';
import { noteDriverError, StoreUnavailable, spoilsConnection } from './faults.ts';
import { type ConnectionRequest, createWaitingLine, type WaitingLine } from './waiting-line.ts';

export type LenderParts = {
  kind: Database['kind'];
  pool: pg.Pool;
  /**
   * The maximum number of waiting requests. Any more are rejected immediately, because a longer
   * queue couldn't be served in time.
   */
  waitingMax: number;
};

type Lend = <T>(asked: ConnectionRequest, use: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

type Lender = { lend: Lend } & Pick<WaitingLine, 'expect' | 'use'>;

export function createLender({ kind, pool, waitingMax }: LenderParts): Lender {
  const { giveBack, discard } = returns[kind];
  const line = createWaitingLine({ connections: pool.options.max, waitingMax });

  /** Returns a free connection, or opens a new one within the deadline. */
  async function connect(deadline: Deadline): Promise<pg.PoolClient> {
    const asked = pool.connect();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new StoreUnavailable('timed out waiting for a database connection')),
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

  async function lend<T>(
    asked: ConnectionRequest,
    use: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
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
      // The time is measured before the connection is returned, which may take one more turn of the
      // event loop.
      const back = leave(monotonicMs() - lentAt);
      // A connection whose transaction is still open, for any reason, is also discarded.
      if (broken || client.getTransactionStatus() !== 'I') discard(client, back);
      else giveBack(client, back);
    }
  }

  return { lend, expect: line.expect, use: line.use };
}

/** Calls `back` when the connection can be lent again. */
type Returned = (client: pg.PoolClient, back: () => void) => void;

/** How each kind of store takes back a connection, usable or broken. */
const returns: Record<Database['kind'], { giveBack: Returned; discard: Returned }> = {
  postgres: {
    giveBack: (client, back) => release(client, back),
    discard: (client, back) => release(client, back, true),
  },
  embedded: {
    // The embedded store's statements run on the event loop without yielding. If the connection
    // were lent again immediately, a long queue of borrowers would block sockets and timers.
    giveBack: (client, back) => void setImmediate(release, client, back),
    discard: windBack,
  },
};

function release(client: pg.PoolClient, back: () => void, isSpoilt = false): void {
  client.release(isSpoilt);
  back();
}

/**
 * All connections to the embedded store share one session, so a new connection would find the old
 * transaction still open and receive its pending responses. The rollback ends the transaction and
 * waits for the responses first.
 */
function windBack(client: pg.PoolClient, back: () => void): void {
  client.query('rollback').then(
    () => release(client, back),
    () => release(client, back, true),
  );
}
