/** The current usage of a database connection pool. */
export type PoolUse = { max: number; lent: number; waiting: number };
