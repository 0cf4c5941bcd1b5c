/**
 * The entry point of the package: importing it defines `<keyrail-keys>`. The deployment comes from
 * `defineKeyrailKeys(url)` or from the property `url` of an element.
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
