// An embed token's contents, and their names as JWT claims.
import { Uuid } from '@keyrail/protocol/validators.ts';
import type { JWTPayload } from 'jose';
import type { Env } from '../doors/reach.ts';

export type EmbedClaims = {
  jti: string;
  workspaceId: string;
  projectId: string;
  tenantId: string;
  env: Env;
  tenantExternalId: string;
  /** The origins of the pages that may use the token. */
  audience: readonly string[];
  scopes: readonly string[];
  epoch: number;
  /** Whole seconds, as JWT requires. */
  issuedAt: Date;
  expiresAt: Date;
};

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);

export const payloadOf = (claims: EmbedClaims, issuer: string): JWTPayload => ({
  iss: issuer,
  aud: [...claims.audience],
  sub: claims.tenantId,
  iat: secondsOf(claims.issuedAt),
  exp: secondsOf(claims.expiresAt),
  jti: claims.jti,
  ws: claims.workspaceId,
  prj: claims.projectId,
  env: claims.env,
  ext: claims.tenantExternalId,
  scopes: [...claims.scopes],
  epoch: claims.epoch,
});

/** Null if a claim is missing, or not in the form that `payloadOf` writes. */
export function claimsOf(payload: JWTPayload): EmbedClaims | null {
  const { aud, sub, iat, exp, jti, ws, prj, env, ext, scopes, epoch } = payload;
  if (!isId(sub) || !isId(jti) || !isId(ws) || !isId(prj) || !isText(ext)) return null;
  if (!isSecond(iat) || !isSecond(exp) || !isWhole(epoch)) return null;
  if ((env !== 'live' && env !== 'test') || !isTexts(aud) || !isTexts(scopes)) return null;
  return {
    jti,
    workspaceId: ws,
    projectId: prj,
    tenantId: sub,
    env,
    tenantExternalId: ext,
    audience: aud,
    scopes,
    epoch,
    issuedAt: new Date(iat * 1000),
    expiresAt: new Date(exp * 1000),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isId = (value: unknown): value is string => Uuid.safeParse(value).success;

/** The latest time that a Date can represent. */
const SECONDS_MAX = 8_640_000_000_000;

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

const isSecond = (value: unknown): value is number =>
  isWhole(value) && value >= 0 && value <= SECONDS_MAX;

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
