// A node feature that exists only in tests. Keys with the scope `needs:alpha` are only sent to
// nodes that support the feature.
import type { TestContext } from 'node:test';
import { type Harness, harness } from './harness.ts';
import { appBeside } from './second-app.ts';
import { testApp } from './test-app.ts';

export const ALPHA = 'alpha';
export const NEEDS_ALPHA = 'needs:alpha';

const replaced = (features: string) => `
  create or replace function keyrail.features_of(key keyrail.api_keys) returns text[]
    immutable parallel safe language sql return ${features}`;

/** Creates a workspace in an app that supports the feature. */
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
