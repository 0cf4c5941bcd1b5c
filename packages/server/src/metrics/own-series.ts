// Figures of this process that are read when they are scraped: connections, held requests, stores.
import { Gauge, type Registry } from 'prom-client';
import type { PoolUse } from '../base/pool-use.ts';
import { type StorageState, storageStates } from '../base/storage.ts';
import { VERSION } from '../base/version.ts';
import type { StoreState } from '../volatile/counters.ts';
import type { HeldRequests } from '../volatile/policy-hub.ts';

export type OwnSources = {
  store: 'postgres' | 'embedded';
  poolUse(): PoolUse;
  held(): HeldRequests;
  redis(): StoreState;
  storage(): StorageState;
};

export function addOwnSeries(register: Registry, sources: OwnSources): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [register],
      collect() {
        this.set(read());
      },
    });
  };
  new Gauge({
    name: 'keyrail_build_info',
    help: 'Always 1; the labels name the version and the store.',
    labelNames: ['version', 'store'],
    registers: [register],
  }).set({ version: VERSION, store: sources.store }, 1);
  gauge(
    'keyrail_database_connections_max',
    'The most connections of the pool.',
    () => sources.poolUse().max,
  );
  gauge(
    'keyrail_database_connections_lent',
    'Connections of the pool that are in use.',
    () => sources.poolUse().lent,
  );
  gauge(
    'keyrail_database_waiting',
    'Pieces of work that wait for a connection.',
    () => sources.poolUse().waiting,
  );
  gauge(
    'keyrail_feed_held_polls',
    'Polls of nodes that wait for a change.',
    () => sources.held().polls,
  );
  gauge(
    'keyrail_feed_held_revocations',
    'Revocations that wait for nodes.',
    () => sources.held().acks,
  );
  gauge('keyrail_redis_configured', '1 if REDIS_URL is set.', () =>
    Number(sources.redis().configured),
  );
  gauge('keyrail_redis_ready', '1 if Redis can be used.', () => Number(sources.redis().ready));
  gauge('keyrail_storage_state', '0 ok, 1 low, 2 full, 3 out of space.', () =>
    storageStates.indexOf(sources.storage()),
  );
}
