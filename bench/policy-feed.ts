// All measurements of the policy feed, one after the other.
import { measurePolls } from './policy-polls.ts';
import { measureRevocations } from './policy-revocations.ts';
import { measureSizes } from './policy-sizes.ts';
import type { Finding } from './table.ts';

export async function measurePolicy(): Promise<Finding[]> {
  return [...(await measureRevocations()), ...(await measurePolls()), ...(await measureSizes())];
}
