/** If programs that the tests need are missing, installs them from the Linux distribution. */
import { findChromium } from '@keyrail/testing/stores/chromium.ts';
import { programIsMissing } from '@keyrail/testing/stores/daemon.ts';
import { prometheusIsMissing } from '@keyrail/testing/stores/prometheus.ts';
import { proxyIsMissing } from '@keyrail/testing/stores/proxies.ts';
import { redisIsMissing } from '@keyrail/testing/stores/redis.ts';

redisIsMissing();
findChromium();
proxyIsMissing('nginx');
proxyIsMissing('caddy');
prometheusIsMissing();
for (const name of ['pgbouncer', 'haproxy', 'etcd', 'patroni'] as const) programIsMissing(name);
