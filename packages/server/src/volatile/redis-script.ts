// Calls a script on Redis by its hash, or with its full text if the server doesn't have it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../base/package-folder.ts';
import { type Owner, type Rule, spanOf, widthOf } from './counters.ts';
import type { Link } from './redis-link.ts';

type Script = { text: string; hash: string };
export type Scripts = Pick<Link, 'evalsha' | 'eval'>;

/** `keys` is the number of keys, which come first in `args`. */
export type ScriptCall = { keys: number; args: (string | number)[] };

const fileOf = (name: string): string =>
  readFileSync(join(packageFolder, `src/volatile/${name}.lua`), 'utf8');

export function readScript(name: 'check' | 'lease' | 'return'): Script {
  const text = `${fileOf('counter')}\n${fileOf(name)}`;
  return { text, hash: createHash('sha1').update(text).digest('hex') };
}

export async function runScript(
  link: Scripts,
  { text, hash }: Script,
  { keys, args }: ScriptCall,
): Promise<unknown> {
  try {
    return await link.evalsha(hash, keys, args);
  } catch (fault) {
    // A restarted or promoted server does not have the script, so nothing was charged.
    const isMissing = fault instanceof Error && fault.message.startsWith('NOSCRIPT');
    if (isMissing) return link.eval(text, keys, args);
    throw fault;
  }
}

/**
 * The errors while a slot is moving: from the server, or from the client after following too many
 * redirections.
 */
const MOVING = /^(TRYAGAIN |Too many Cluster redirections)/;

/**
 * Whether the error was caused by a moving slot. Until the move is complete, a node refuses a
 * command with several keys if one of the keys is missing.
 */
export const isMoving = (fault: unknown): boolean =>
  fault instanceof Error && MOVING.test(fault.message);

/** The key under which an owner's live counters are counted. */
export const countOf = ({ name }: Owner): string => `kr:names:${name}`;

export const shapeOf = (rule: Rule): [limit: number, widthMs: number, span: number] => [
  rule.limit,
  widthOf(rule),
  spanOf(rule),
];
