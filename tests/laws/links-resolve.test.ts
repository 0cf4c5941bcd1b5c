// Every relative link in the documents points to an existing file in the repository, and to an
// existing heading if it has an anchor.
import { deepEqual, ok } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { type Document, documents, root } from '@keyrail/testing/documents.ts';
import { type Fault, lineAt, list } from './tree.ts';

const LINK = /\]\(\s*<?([^)\s>]+)>?[^)]*\)|\b(?:src|href|srcset)="([^"]+)"/g;
const FENCED = /^```[\s\S]*?^```$/gm;
const isOutside = (target: string): boolean => /^[a-z]+:/i.test(target);

/**
 * Returns the anchors that GitHub generates for a document's headings; repeated ones are numbered.
 */
function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replaceAll(FENCED, '').matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    anchors.add(times === 0 ? anchor : `${anchor}-${times}`);
  }
  return anchors;
}

function linkFaults({ path, text }: Document): Fault[] {
  const blank = (code: string) => code.replaceAll(/[^\n]/g, ' ');
  const prose = text.replaceAll(FENCED, blank).replaceAll(/`[^`\n]*`/g, blank);
  return [...prose.matchAll(LINK)].flatMap(({ 1: first, 2: second, index }) => {
    const says = faultOf(path, text, first ?? second ?? '');
    return says === null ? [] : [{ path, line: lineAt(text, index), says }];
  });
}

function faultOf(path: string, text: string, target: string): string | null {
  if (isOutside(target)) return null;
  const [file = '', anchor] = target.split('#');
  const to = file === '' ? path : normalize(join(dirname(path), file));
  if (to !== path && !existsSync(join(root, to))) return `links to ${target}, which does not exist`;
  if (anchor === undefined) return null;
  const linked = to === path ? text : readFileSync(join(root, to), 'utf8');
  return anchorsOf(linked).has(anchor) ? null : `links to ${target}, which has no such heading`;
}

test('every relative link and anchor in the documents resolves', () => {
  const all = documents();
  ok(all.length > 20, 'the documents were found');
  deepEqual(list(all.flatMap(linkFaults)), []);
});

test('broken links and anchors are reported with their line numbers', () => {
  const faults = (text: string) => list(linkFaults({ path: 'docs/a.md', text }));
  deepEqual(faults('# A\n\n[b](nowhere.md)\n'), [
    'docs/a.md:3: links to nowhere.md, which does not exist',
  ]);
  deepEqual(faults('# A\n\n[b](#what-a-503-means)\n').length, 1);
  deepEqual(faults('## What a 503 means\n\n[b](#what-a-503-means)\n'), []);
  deepEqual(faults('[b](../README.md#first-five-minutes), `[c](d.md)`\n'), []);
  deepEqual(faults('<img src="images/none.svg">\n\n```md\n[c](d.md)\n```\n').length, 1);
  deepEqual(faults('[a](https://example.com/none.md#x)\n'), []);
});

test('repeated headings get numbered anchors', () => {
  deepEqual(
    [...anchorsOf('# A `b`, c\n## A b c\n## The *x* & y\n')],
    ['a-b-c', 'a-b-c-1', 'the-x--y'],
  );
});
