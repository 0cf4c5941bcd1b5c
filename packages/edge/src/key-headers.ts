// The headers that describe a key to the service behind a proxy. All of them are always sent, even
// if empty, so that the proxy overwrites any headers that the caller forged.
import type { RequestContext, UnverifiedContext } from '@keyrail/sdk';
import { createScopeTexts } from './scope-texts.ts';

type KeyContext = RequestContext | UnverifiedContext;

export const keyHeaderNames = [
  'X-Keyrail-Key-Id',
  'X-Keyrail-Workspace-Id',
  'X-Keyrail-Project-Id',
  'X-Keyrail-Tenant-Id',
  'X-Keyrail-Tenant-External-Id',
  'X-Keyrail-Env',
  'X-Keyrail-Scopes',
  'X-Keyrail-Degraded',
] as const;

/** Names and values alternate, as in `writeHead`. */
export const keyHeaders = (context: KeyContext): string[] => [
  'X-Keyrail-Key-Id',
  context.keyId ?? '',
  'X-Keyrail-Workspace-Id',
  context.workspaceId ?? '',
  'X-Keyrail-Project-Id',
  context.projectId,
  'X-Keyrail-Tenant-Id',
  context.tenantId ?? '',
  'X-Keyrail-Tenant-External-Id',
  encoded(context.tenantExternalId ?? ''),
  'X-Keyrail-Env',
  context.env,
  'X-Keyrail-Scopes',
  scopeTexts.of(context.scopes),
  'X-Keyrail-Degraded',
  context.degraded ? 'true' : 'false',
];

const scopeTexts = createScopeTexts((scopes) => Array.from(scopes, encoded).join(' '));

const UNSAFE = /[^\x21-\x24\x26-\x2b\x2d-\x7e]/u;
const EACH_UNSAFE = /[^\x21-\x24\x26-\x2b\x2d-\x7e]/gu;

/** Percent-encodes spaces, commas, percent signs and anything that isn't visible ASCII. */
const encoded = (text: string): string =>
  UNSAFE.test(text)
    ? text.replaceAll(EACH_UNSAFE, (character) =>
        encodeURIComponent(character).replace(/^,$/, '%2C'),
      )
    : text;
