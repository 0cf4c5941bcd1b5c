// The SDK of a node, as the node names it in a header. It is shown and never relied upon, so a
// malformed header counts as a missing one.
import { SDK_NAME_CHARS_MAX, SDK_VERSION_CHARS_MAX } from '@keyrail/protocol/wire/limits.ts';

export type SdkName = { name: string; version: string };

const NAME_AND_VERSION = new RegExp(
  `^([\\w@./-]{1,${SDK_NAME_CHARS_MAX}})/([\\w.+-]{1,${SDK_VERSION_CHARS_MAX}})$`,
);

/** `@keyrail/sdk/1.0.0` has the name `@keyrail/sdk`. */
export function sdkNameIn(header: string | undefined): SdkName | null {
  const [, name, version] = NAME_AND_VERSION.exec(header ?? '') ?? [];
  return name && version ? { name, version } : null;
}
