// A feature that exists only in tests: keys with the scope `needs:alpha` require it of nodes.
import type { TestContext } from 'node:test';
import { type Harness, harness } from './harness.ts';
import { appBeside } from './second-app.ts';
import { testApp } from './test-app.ts';

export const ALPHA = 'alpha';
export const NEEDS_ALPHA = 'needs:alpha';

const replaced = (features: string) => `
  create or replace function keyrail.features_of(key keyrail.api_keys) returns text[]
    immutable parallel safe language sql return ${features}`;

/** A workspace of an app that knows the feature. */
export async function vendorWithFeature(t: TestContext): Promise<Harness> {
  const opened = await testApp();
  const { beyond } = opened;
  await beyond(
    replaced(`case when '${NEEDS_ALPHA}' = any (key.scopes) then '{${ALPHA}}'::text[]
      else '{}'::text[] end`),
  );
  t.after(() => beyond(replaced(`'{}'::text[]`)));
  return harness(t, appBeside(t, opened, { feedFeatures: [ALPHA] }));
}
