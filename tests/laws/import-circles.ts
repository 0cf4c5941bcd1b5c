/** Import cycles, including those of type imports, which the linter's rule ignores. */
import { importsOf } from './imports.ts';
import type { Source } from './tree.ts';

/** Groups of files that import each other, directly or through other files. */
export function importCircles(sources: readonly Source[]): string[][] {
  const graph = new Map(
    sources.map((source) => [
      source.path,
      importsOf(source).flatMap(({ target }) => (target === null ? [] : [target])),
    ]),
  );
  return [...graph.keys()].flatMap((path) => {
    const reached = reachableFrom(path, graph);
    if (!reached.has(path)) return [];
    const circle = [...reached].filter((other) => reachableFrom(other, graph).has(path)).sort();
    // Lists each cycle only once, under its first file.
    return circle[0] === path ? [circle] : [];
  });
}

/**
 * Returns the files that a file imports, directly or indirectly, including the file itself if it is
 * in a cycle.
 */
function reachableFrom(path: string, graph: ReadonlyMap<string, string[]>): Set<string> {
  const reached = new Set<string>();
  const next = [...(graph.get(path) ?? [])];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    if (reached.has(at)) continue;
    reached.add(at);
    next.push(...(graph.get(at) ?? []));
  }
  return reached;
}
