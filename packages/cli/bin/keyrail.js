#!/usr/bin/env node
// The published package contains the bundle in dist/. A clone also contains the sources, which need
// no build and are always current, but only a Node.js that executes TypeScript can run them.
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';

const bundle = new URL('../dist/keyrail.js', import.meta.url);
const sources = new URL('../src/main.ts', import.meta.url);

if (process.features.typescript && nodeModule.registerHooks && existsSync(sources)) {
  // Makes imports of @keyrail/client use its sources too.
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, 'keyrail-source'] }),
  });
  await import(sources.href);
} else if (existsSync(bundle)) {
  await import(bundle.href);
} else {
  console.error('keyrail: not built yet. Run "npm run build" in the clone, then try again.');
  process.exitCode = 70;
}
