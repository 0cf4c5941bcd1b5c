// The responses to denied requests. They do not reveal whether a rejected key is malformed, unknown
// or revoked.
import {
  type DenialCode,
  type DenialResponse,
  denialCodes,
  denialResponse,
} from '@keyrail/protocol/wire/denials.ts';
import { errorCodes } from '@keyrail/protocol/wire/error-codes.ts';
import type { WireErrorCode } from '@keyrail/protocol/wire/wire-error-codes.ts';

/** The SDK's denial codes, and the control plane's codes that adapters need. */
export type RefusalCode =
  | DenialCode
  | Extract<WireErrorCode, 'invalid_request' | 'payload_too_large' | 'unavailable'>;

/** A denial, and its reason for telemetry. */
export type Refused = { refused: DenialResponse; reason: string };

export type RefusalDetails = {
  /** Replaces the default message for the code. */
  message?: string;
  retryAfterSeconds?: number | null;
  headers?: Readonly<Record<string, string>>;
};

const { invalid_request, payload_too_large, unavailable } = errorCodes;

const table = { ...denialCodes, invalid_request, payload_too_large, unavailable };

/** Returns the response for a denial code. */
export function refuse(code: RefusalCode, details: RefusalDetails = {}): DenialResponse {
  const { headers, ...said } = details;
  const response = denialResponse({ ...table[code], code, ...said });
  return { ...response, headers: { ...response.headers, ...headers } };
}
