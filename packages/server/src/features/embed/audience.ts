// The audience of a token: the requested origins, all of which must be registered, or by default
// every registered origin.
import { invalid } from '../../base/errors.ts';

export function audienceOf(
  wanted: readonly string[] | undefined,
  registered: readonly string[],
): string[] {
  if (registered.length === 0) {
    const message = 'This workspace has no registered origins: set its embed_origins first.';
    throw invalid('body', [{ path: 'origins', message }]);
  }
  if (wanted === undefined) return [...registered];
  const unknown = wanted.flatMap((origin, at) =>
    registered.includes(origin)
      ? []
      : [
          {
            path: `origins.${at}`,
            message: 'Not a registered origin of this workspace: add it to embed_origins.',
          },
        ],
  );
  if (unknown.length > 0) throw invalid('body', unknown);
  return [...new Set(wanted)];
}
