/** How a pool of database connections is currently used. */
export type PoolUse = { max: number; lent: number; waiting: number };
