// Measures what signatures cost the policy feed: sends the same polls to a server that signs
// responses and to a server without a signing key, each with its own database. The SDK sends a
// node's name in a header, which lets many nodes share one signed response. If the name is in the
// query, the signature covers it, so every node needs its own response.
import { NODE_HEADER } from '@keyrail/protocol/wire/node-header.ts';
import pg from 'pg';
import { underLoad } from '../load/contestants.ts';
import { openLoadGenerator } from '../load/load-generator.ts';
import { requestText } from '../load/requests.ts';
import { withCleanup } from '../measure/cleanup.ts';
import { compareRates } from '../measure/compare.ts';
import { atLeast, type Goal, higherIsBetter } from '../measure/goal.ts';
import { type Run, roundsOf } from '../measure/plan.ts';
import { runRounds } from '../measure/rounds.ts';
import { type Keyrail, openPostgres, startOnPostgres } from '../setup/keyrail.ts';
import { createKeys, createProject } from '../setup/projects.ts';
import { createWorkspace } from '../setup/workspaces.ts';

const RATIO_MIN = 0.85;
const KEYS = 10;
const CURRENT_VERSION = KEYS + 1;
const NODES = 200;
const ROUNDS = { warmUpMs: 3000, roundMs: 250, rounds: 40 };

type Name = 'signed' | 'unsigned';
type Feed = { server: Keyrail; token: string; path: string };
/** Where a node puts its name in the request. */
type Way = 'header' | 'query';

export async function measureSignedFeed({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const open = async (name: Name): Promise<Feed> => {
      const store = stopAtEnd(await openPostgres());
      const server = stopAtEnd(await startOnPostgres(store.url));
      if (name === 'unsigned') await removeSigningKeys(store.superuserUrl);
      const { token, call } = await createWorkspace(server, name);
      const project = await createProject(call);
      await createKeys(call, project, KEYS);
      return { server, token, path: `/v1/policy/delta?project_id=${project.projectId}` };
    };
    const feeds = { signed: await open('signed'), unsigned: await open('unsigned') };
    await checkSignatures(feeds);
    const generator = stopAtEnd(await openLoadGenerator());
    const measure = async (what: string, poll: { since: number; way: Way; goal: Goal }) => {
      const polled = (name: Name) => {
        const request = requestsOf(feeds[name], poll);
        return underLoad<Name>(generator, { name, server: feeds[name].server, request });
      };
      const contestants = [polled('signed'), polled('unsigned')];
      const samples = await runRounds<Name>(roundsOf(plan, ROUNDS), contestants);
      report(
        compareRates(samples, {
          name: `signed-feed: ${what}`,
          ours: 'signed',
          peer: 'unsigned',
          label: 'without a signature',
          goal: poll.goal,
        }),
      );
    };
    const goal = atLeast(RATIO_MIN);
    await measure('unchanged poll', { since: CURRENT_VERSION, way: 'header', goal });
    await measure(`poll with ${KEYS} changes`, { since: 1, way: 'header', goal });
    const own = { way: 'query', goal: higherIsBetter } as const;
    await measure('unchanged poll, each with its own signature', {
      since: CURRENT_VERSION,
      ...own,
    });
  });
}

/** With names in the query, no two polls within the same second are identical. */
const requestsOf = ({ token, path }: Feed, { since, way }: { since: number; way: Way }): string[] =>
  Array.from({ length: way === 'header' ? NODES : NODES * NODES }, (_, at) => {
    const node = `n${at % NODES}`;
    const asked = `${path}&since=${since}&max_keys=`;
    return requestText({
      method: 'GET',
      token,
      path: way === 'header' ? `${asked}5000` : `${asked}${KEYS + at}&node=${node}`,
      ...(way === 'header' && { headers: { [NODE_HEADER]: node } }),
    });
  });

/** Removes the signing keys. No worker runs, so nothing creates them again. */
async function removeSigningKeys(superuserUrl: string): Promise<void> {
  const superuser = new pg.Client({ connectionString: superuserUrl });
  await superuser.connect();
  try {
    await superuser.query('truncate keyrail.signing_keys');
  } finally {
    await superuser.end();
  }
}

async function checkSignatures(feeds: Record<Name, Feed>): Promise<void> {
  for (const [name, { server, token, path }] of Object.entries(feeds)) {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}&since=1`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (response.headers.has('signature') !== (name === 'signed')) {
      throw new Error(`the responses of the ${name} feed are not ${name}`);
    }
  }
}
