// Resolves the host names of webhook endpoints, which vendors choose. c-ares queries the name
// servers over sockets, whereas `getaddrinfo` would occupy one of the process's few threads until a
// name server responded, blocking all other lookups.
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { SECOND_MS } from '../../base/duration.ts';
import { rateLimited } from '../../base/errors.ts';

/** The time limit for each name server. Each server is queried only once. */
const SERVER_MS_MAX = 2 * SECOND_MS;
/** The time limit for all name servers together. */
const LOOKUP_MS_MAX = 4 * SECOND_MS;
/** How many lookups each workspace may have in progress in this process. */
const PER_WORKSPACE_MAX = 4;

const HOSTS_FILE = '/etc/hosts';

/** A slot for one lookup. Releasing it a second time has no effect. */
export type Place = { release(): void };

export type HostNames = {
  /** Throws `rate_limited` if all of the workspace's slots are taken. */
  takePlace(workspaceId: string): Place;
  /**
   * Waits for a slot, in order of arrival. The number of waiting lookups is limited by the number
   * of requests in progress.
   */
  awaitPlace(workspaceId: string): Promise<Place>;
  /** Empty if the name has no address or the lookup times out. Releases the slot. */
  addressesOf(hostname: string, lookup: Lookup): Promise<readonly string[]>;
};

type Lookup = { place: Place | Promise<Place>; signal: AbortSignal };

type HostNameParts = {
  /** Whether to read the hosts file first; set with KEYRAIL_WEBHOOK_PRIVATE. */
  allowPrivate: boolean;
  /** Name servers to use instead of the system's. Set only by tests. */
  servers?: readonly string[] | undefined;
};

export function createHostNames({ allowPrivate, servers }: HostNameParts): HostNames {
  async function addressesOf(hostname: string, { place, signal }: Lookup) {
    const taken = await place;
    try {
      if (signal.aborted) return [];
      const own = allowPrivate ? await addressesInHostsFile(hostname) : [];
      return own.length > 0 ? own : await resolve(hostname, { servers, signal });
    } finally {
      taken.release();
    }
  }
  return { ...createPlaces(), addressesOf };
}

type Resolving = { servers: readonly string[] | undefined; signal: AbortSignal };

/**
 * Uses a new resolver for each lookup, because cancelling a resolver cancels all of its queries.
 */
async function resolve(hostname: string, { servers, signal }: Resolving): Promise<string[]> {
  const resolver = new Resolver({ timeout: SERVER_MS_MAX, tries: 1 });
  if (servers) resolver.setServers(servers);
  const ending = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_MS_MAX)]);
  const cancel = () => resolver.cancel();
  ending.addEventListener('abort', cancel, { once: true });
  try {
    const families = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
    const found = await Promise.allSettled(families);
    return found.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  } finally {
    ending.removeEventListener('abort', cancel);
  }
}

async function addressesInHostsFile(hostname: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [entry = ''] = line.split('#', 1);
    const [address = '', ...names] = entry.trim().split(/\s+/);
    return isIP(address) !== 0 && names.includes(hostname) ? [address] : [];
  });
}

type Line = { taken: number; waiting: ((place: Place) => void)[] };

function createPlaces(): Pick<HostNames, 'takePlace' | 'awaitPlace'> {
  const lines = new Map<string, Line>();

  function placeIn(workspaceId: string, line: Line): Place {
    let isReleased = false;
    return {
      release() {
        if (isReleased) return;
        isReleased = true;
        // Passes the slot on to the next waiting lookup, so that a new lookup can't take it first.
        const next = line.waiting.shift();
        if (next) return next(placeIn(workspaceId, line));
        line.taken -= 1;
        if (line.taken === 0) lines.delete(workspaceId);
      },
    };
  }

  /** Null if all slots are taken. */
  function freePlace(workspaceId: string, line: Line): Place | null {
    if (line.taken >= PER_WORKSPACE_MAX) return null;
    line.taken += 1;
    lines.set(workspaceId, line);
    return placeIn(workspaceId, line);
  }

  const lineOf = (workspaceId: string) => lines.get(workspaceId) ?? { taken: 0, waiting: [] };
  return {
    takePlace(workspaceId) {
      const place = freePlace(workspaceId, lineOf(workspaceId));
      if (!place) throw rateLimited(SERVER_MS_MAX);
      return place;
    },
    async awaitPlace(workspaceId) {
      const line = lineOf(workspaceId);
      const place = freePlace(workspaceId, line);
      return place ?? new Promise((granted) => line.waiting.push(granted));
    },
  };
}
