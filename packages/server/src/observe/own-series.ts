// Metrics for this process that are read on each scrape: connections, requests waiting for a
// change, and the state of the stores.
import { metricText, valueText } from '@keyrail/protocol/wire/metrics-text.ts';
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

export function ownSeries(sources: OwnSources): () => string {
  const { store } = sources;
  return () => {
    const { max, lent, waiting } = sources.poolUse();
    const { polls, acks } = sources.held();
    const redis = sources.redis();
    const storage = storageStates.indexOf(sources.storage());
    return [
      metricText('keyrail_build_info', 'Always 1; the labels give the version and the store.', [
        [{ version: VERSION, store }, 1],
      ]),
      valueText('keyrail_database_connections_max', 'Maximum connections in the pool.', max),
      valueText('keyrail_database_connections_lent', 'Connections in use.', lent),
      valueText('keyrail_database_waiting', 'Requests and jobs waiting for a connection.', waiting),
      valueText('keyrail_feed_held_polls', 'Node polls waiting for a change.', polls),
      valueText('keyrail_feed_held_revocations', 'Revocations waiting for nodes.', acks),
      valueText('keyrail_redis_configured', '1 if REDIS_URL is set.', Number(redis.configured)),
      valueText('keyrail_redis_ready', '1 if Redis can be used.', Number(redis.ready)),
      valueText('keyrail_storage_state', '0 ok, 1 low, 2 full, 3 out of space.', storage),
    ].join('');
  };
}
