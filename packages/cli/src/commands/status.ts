// The deployment's status. The endpoint is public, so this works before login.
import type { Answer } from '@keyrail/client';
import type { Command } from '../command.ts';
import { exitCodes, Failure } from '../failures.ts';
import type { Field, FieldValue } from '../output/fields.ts';
import type { Tone } from '../terminal/style.ts';

type Status = Answer<'GET /status'>;
type State = Status['status'];

const tones: Readonly<Record<State, Tone>> = {
  ok: 'green',
  degraded: 'yellow',
  down: 'red',
  not_configured: 'dim',
  unknown: 'dim',
};

const stateValue = (state: State): FieldValue => ({
  text: state.replaceAll('_', ' '),
  tone: tones[state] ?? 'bold',
});

const fields: readonly Field<Status>[] = [
  { title: 'status', of: ({ status }) => stateValue(status) },
  { title: 'api', of: ({ components }) => stateValue(components.api) },
  { title: 'database', of: ({ components }) => stateValue(components.database) },
  { title: 'redis', of: ({ components }) => stateValue(components.redis) },
  { title: 'worker', of: ({ components }) => stateValue(components.worker) },
  { title: 'backup', of: ({ components }) => stateValue(components.backup) },
  { title: 'restore test', of: restoreText },
];

function restoreText({ restoreTest }: Status, format: { time(iso: string | null): string | null }) {
  const at = format.time(restoreTest.lastRunAt);
  return at === null ? 'never' : `${restoreTest.pass ? 'passed' : 'failed'} ${at}`;
}

export const status: Command = {
  name: 'status',
  summary: 'show the status of the deployment',
  examples: ['keyrail status', 'keyrail status --url https://keys.example.com --json'],
  notes: 'Needs no login. Exits with 3 if the status is down.',
  run: async ({ anonymous, output, target }) => {
    const answer = await anonymous().call('GET /status');
    output.record(answer, fields);
    if (answer.status === 'down')
      throw new Failure(exitCodes.unreachable, `${target.url} is down.`);
  },
};
