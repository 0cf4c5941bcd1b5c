// How the deployment is. Open to everyone, so that it can be asked before logging in.
import type { Answer } from '@keyrail/client/types.ts';
import type { Command } from '../command.ts';
import type { Fact, Shown } from '../facts.ts';
import { exitCodes, Failure } from '../faults.ts';
import type { Tone } from '../style.ts';

type Status = Answer<'GET /status'>;
type State = Status['status'];

const tones: Readonly<Record<State, Tone>> = {
  ok: 'green',
  degraded: 'yellow',
  down: 'red',
  not_configured: 'dim',
  unknown: 'dim',
};

const shownOf = (state: State): Shown => ({
  text: state.replaceAll('_', ' '),
  tone: tones[state] ?? 'bold',
});

const facts: readonly Fact<Status>[] = [
  { title: 'status', of: ({ status }) => shownOf(status) },
  { title: 'api', of: ({ components }) => shownOf(components.api) },
  { title: 'database', of: ({ components }) => shownOf(components.database) },
  { title: 'redis', of: ({ components }) => shownOf(components.redis) },
  { title: 'worker', of: ({ components }) => shownOf(components.worker) },
  { title: 'backup', of: ({ components }) => shownOf(components.backup) },
  { title: 'restore test', of: restoreText },
];

function restoreText({ restoreTest }: Status, look: { time(iso: string | null): string | null }) {
  const at = look.time(restoreTest.lastRunAt);
  return at === null ? 'never' : `${restoreTest.pass ? 'passed' : 'failed'} ${at}`;
}

export const status: Command = {
  name: 'status',
  summary: 'show how the deployment is',
  examples: ['keyrail status', 'keyrail status --url https://keys.example.com --json'],
  notes: 'Needs no login. Exits with 3 when the deployment says that it is down.',
  run: async ({ stranger, output, target }) => {
    const answer = await stranger().call('GET /status');
    output.record(answer, facts);
    if (answer.status === 'down')
      throw new Failure(exitCodes.unreachable, `${target.url} is down.`);
  },
};
