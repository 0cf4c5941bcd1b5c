/**
 * The SDK's folders. `api/` contains types and imports nothing from the other folders. These import
 * each other only as ARROWS allows, and only `request/` may import them all.
 */
const SDK = 'packages/sdk/src/';

const ARROWS: Record<string, string[]> = {
  api: [],
  policy: ['api'],
  decide: ['api', 'policy'],
  limits: ['api'],
  idempotency: ['api'],
  telemetry: ['api'],
  webhooks: [],
  request: ['api', 'limits', 'idempotency', 'telemetry'],
  adapters: ['api', 'request'],
};

/** Root files that folders other than `api/` may import. The other root files assemble a node. */
const SHARED = new Set([
  'clock.ts',
  'json.ts',
  'rate-limit-bounds.ts',
  'transport.ts',
  'verified-by.ts',
]);
const SHARED_WITH_REQUEST = new Set(['settings.ts', 'version.ts']);

type Arrow = { from: string; to: string };

export function moduleFault({ from, to }: Arrow): string | null {
  const folder = folderOf(from);
  const target = folderOf(to);
  const allowed = folder === null ? undefined : ARROWS[folder];
  if (allowed === undefined || target === folder) return null;
  if (target !== null) return allowed.includes(target) ? null : `${folder}/ imports ${target}/`;
  const file = to.slice(SDK.length);
  const isShared = SHARED.has(file) || (folder === 'request' && SHARED_WITH_REQUEST.has(file));
  return isShared && folder !== 'api' ? null : `${folder}/ imports ${file}`;
}

/**
 * Returns the SDK's top-level folder that contains a file; null for root files and other packages.
 */
function folderOf(path: string): string | null {
  const [first, ...rest] = path.startsWith(SDK) ? path.slice(SDK.length).split('/') : [];
  return first === undefined || rest.length === 0 ? null : first;
}
