// Authenticated reads against the minimum of the same framework, without and with a row read under
// row level security. A busy key is looked up every 50 ms, and concurrent reads of the same row
// share a statement.
import { openPeerServer } from './children.ts';
import { compareRates } from './compare.ts';
import { underLoad } from './contestants.ts';
import { openPostgres, POOL_SIZE, startOnPostgres } from './keyrail.ts';
import { openLoader } from './loader.ts';
import { foundWorkspace, read } from './requests.ts';
import { type Laps, takeTurns } from './rounds.ts';
import { whileOpen } from './stop.ts';
import type { Finding } from './table.ts';

const RATIO_MIN = 0.5;

type Name = 'GET /v1/environments' | 'GET /v1/workspace' | 'trivial route' | 'one bare select';

export async function measureReads(): Promise<Finding[]> {
  return whileOpen(async (keep) => {
    const store = keep(await openPostgres());
    const server = keep(await startOnPostgres(store.url));
    const trivial = keep(await openPeerServer('trivial-server.ts'));
    const select = keep(
      await openPeerServer('select-server.ts', {
        BENCH_URL: store.url,
        BENCH_POOL_SIZE: String(POOL_SIZE),
      }),
    );
    const loader = keep(await openLoader());
    const token = await foundWorkspace(server.port, server.bootstrapToken, 'reads');
    const authenticated = (name: Name, path: string) =>
      underLoad<Name>(loader, { name, server, request: read(path, token) });
    return findings(
      await takeTurns<Name>([
        authenticated('GET /v1/environments', '/v1/environments'),
        underLoad<Name>(loader, { name: 'trivial route', server: trivial, request: read('/') }),
        authenticated('GET /v1/workspace', '/v1/workspace'),
        underLoad<Name>(loader, { name: 'one bare select', server: select, request: read('/') }),
      ]),
    );
  });
}

function findings(laps: Laps<Name>): Finding[] {
  const compare = (ours: Name, peer: Name, least: number | null): Finding =>
    compareRates(laps, { name: `reads: ${ours}`, ours, peer, least });
  return [
    compare('GET /v1/environments', 'trivial route', RATIO_MIN),
    compare('GET /v1/workspace', 'trivial route', RATIO_MIN),
    // The cost of the statement itself, without sharing.
    compare('GET /v1/workspace', 'one bare select', null),
    compare('one bare select', 'trivial route', null),
  ];
}
