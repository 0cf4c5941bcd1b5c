/**
 * The entry point of the package. Importing it defines `<keyrail-keys>`. To set the deployment's
 * URL, call `defineKeyrailKeys(url)` or set an element's `url` property.
 */
import { defineKeyrailKeys } from './element.ts';

export { defineKeyrailKeys, KeyrailKeysElement } from './element.ts';
export type { Table } from './texts/en.ts';
export type { Texts } from './texts/texts.ts';
export type {
  ErrorDetail,
  GetToken,
  KeyDetail,
  KeyrailKeysEvents,
  ReadyDetail,
  Token,
  TokenExpiredDetail,
  TokenReason,
  Transport,
} from './types.ts';

defineKeyrailKeys(null);
