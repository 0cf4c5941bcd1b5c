// Runs backup commands on a deployment, and parses their results.
import { equal, ok } from 'node:assert/strict';
import type { Deployment } from './deployment.ts';

/** Runs a command that must succeed, and returns the result it prints last. */
export async function command(deployment: Deployment, ...words: string[]) {
  const { code, output } = await deployment.command(...words);
  equal(code, 0, output);
  const line = output.split('\n').findLast((each) => each.includes('"event":"done"'));
  ok(line, output);
  return JSON.parse(line);
}
