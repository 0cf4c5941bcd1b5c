/** How a pool of database connections is used at this moment. */
export type PoolUse = { max: number; lent: number; waiting: number };
