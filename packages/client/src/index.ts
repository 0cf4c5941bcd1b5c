/**
 * The package's only entry point: `createClient`, the two errors, `newIdempotencyKey`,
 * `verifyReceipt`, and the types of inputs and responses.
 */
export {
  type Caller,
  type Client,
  type ClientOptions,
  createCaller,
  createClient,
} from './client.ts';
export {
  type ErrorDetail,
  isOutcomeUnknown,
  KeyrailError,
  KeyrailUnreachable,
  type Outcome,
  type UnreachableReason,
  type WireErrorCode,
} from './errors.ts';
export { verifyReceipt } from './receipt.ts';
export { newIdempotencyKey } from './request.ts';
export type { Method, Resources } from './resources.ts';
export type {
  Answer,
  CallInput,
  CallOptions,
  DryRunEndpoint,
  Endpoint,
  Impact,
  Input,
  Item,
  Page,
  PagedEndpoint,
  PagesLimit,
  PlainReply,
  PlainRequest,
  Reply,
  ReplyHead,
} from './types.ts';
export type { ReceiptClaims, ReceiptKeys, ReceiptVerdict } from './verify-receipt.ts';
