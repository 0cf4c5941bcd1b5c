// All benchmarks of the policy feed, one after another.
import type { Run } from '../measure/plan.ts';
import { measurePolls } from './polls.ts';
import { measureRevocations } from './revocations.ts';
import { measureSizes } from './sizes.ts';

export async function measurePolicy(run: Run): Promise<void> {
  await measureRevocations(run);
  await measurePolls(run);
  await measureSizes(run);
}
