/**
 * The package's entry point: importing it defines `<keyrail-keys>`. The deployment's URL comes from
 * `defineKeyrailKeys(url)` or from an element's `url` property.
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
