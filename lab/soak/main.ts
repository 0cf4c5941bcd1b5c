/**
 * The soak: runs clients and faults against real processes, then checks everything that happened.
 *
 *   npm run soak -- --minutes 30 --seed 7 --store postgres
 *   npm run soak -- --bed ha        every part of a deployment with spares, in turn
 *   npm run soak -- --bed ha --part Redis     only faults in parts whose names contain this
 *
 * The exit code is 1 after a violation. The same seed gives the same plan.
 */
import { parseArgs } from 'node:util';
import { openEmbeddedBed } from './bed/embedded.ts';
import { openHaBed } from './bed/ha.ts';
import { openPostgresBed } from './bed/postgres.ts';
import { reportOf, violationsIn } from './report.ts';
import { soak } from './run.ts';

const beds = { embedded: openEmbeddedBed, postgres: openPostgresBed };
/** Test beds that only run if they are selected by name. */
const namedBeds = { ha: openHaBed };

const CLIENTS = 6;
const MINUTES = 2;
/**
 * The default duration if faults run in turn, which is enough for all of them. The soak ends after
 * the last one.
 */
const MINUTES_IN_TURN = 25;
const MINUTES_MAX = 24 * 60;

function readCommandLine() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string', default: '1' },
      store: { type: 'string' },
      bed: { type: 'string' },
      part: { type: 'string', default: '' },
      clients: { type: 'string', default: String(CLIENTS) },
    },
  });
  const { store = '', bed = '' } = values;
  const usual = bed === '' ? MINUTES : MINUTES_IN_TURN;
  const given = [values.minutes ?? usual, values.seed, values.clients];
  const [minutes, seed, clients] = given.map(Number);
  if (!(minutes && minutes > 0 && minutes <= MINUTES_MAX)) {
    throw new Error('--minutes must be above 0, and at most 1440');
  }
  if (seed === undefined || !Number.isInteger(seed)) {
    throw new Error('--seed must be a whole number');
  }
  if (!clients || !Number.isInteger(clients)) throw new Error('--clients must be a whole number');
  if (store !== '' && !Object.hasOwn(beds, store)) {
    throw new Error(`--store must be ${Object.keys(beds).join(' or ')}`);
  }
  if (bed !== '' && !Object.hasOwn(namedBeds, bed)) {
    throw new Error(`--bed must be ${Object.keys(namedBeds).join(' or ')}`);
  }
  const all = Object.entries(bed === '' ? beds : namedBeds);
  const chosen = all.filter(([name]) => [store, bed].every((one) => one === '' || one === name));
  const { part } = values;
  return { seconds: Math.round(minutes * 60), seed, clients, part, chosen };
}

async function main(): Promise<void> {
  const { chosen, ...order } = readCommandLine();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(130)); // exit handlers stop the child processes
  }
  let violations = 0;
  for (const [, open] of chosen) {
    const account = await soak(open, order);
    console.log(reportOf(account));
    violations += violationsIn(account).length;
  }
  process.exit(violations > 0 ? 1 : 0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
