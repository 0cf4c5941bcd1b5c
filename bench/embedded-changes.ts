// Changes in one workspace on the embedded store, for context. It has no peer to compare with.
import { underLoad } from './contestants.ts';
import { scratchDirectory, startEmbedded } from './keyrail.ts';
import { openLoader } from './loader.ts';
import { createSecretKey, foundWorkspace } from './requests.ts';
import { rate, spread, takeTurns } from './rounds.ts';
import { whileOpen } from './stop.ts';
import type { Finding } from './table.ts';

export async function measureEmbeddedChanges(): Promise<Finding[]> {
  const directory = scratchDirectory();
  return whileOpen(async (keep) => {
    keep({ stop: async () => directory.remove() });
    const server = keep(await startEmbedded(directory.path));
    const loader = keep(await openLoader());
    const token = await foundWorkspace(server.port, server.bootstrapToken, 'embedded');
    const request = createSecretKey(token);
    const laps = await takeTurns<'embedded'>([
      underLoad(loader, { name: 'embedded', server, request }),
    ]);
    return [
      {
        name: 'embedded-changes: POST /v1/secret_keys',
        ours: spread(laps.embedded, rate),
        peer: '-',
        ratio: '-',
        target: 'context',
        met: null,
      },
    ];
  });
}
