/** The entry point of the package: importing it defines `<keyrail-keys>`. */
import { defineKeyrailKeys } from './element.ts';

export { KeyrailKeysElement } from './element.ts';
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
