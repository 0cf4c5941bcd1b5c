// Compiled by the build but never run. TypeScript writes out the inferred type of a constant in
// full, so the declarations compiled from this file contain the endpoint types without referring to
// the protocol or zod. The build publishes them instead of the declarations compiled from
// src/endpoints.ts.
import type { Endpoints, ErrorCodes } from './src/endpoints.ts';

/** Without the inner `infer`, TypeScript would print `Resolved<…>` instead of its result. */
type Resolved<T> = T extends Uint8Array
  ? T
  : T extends object
    ? T extends infer O
      ? { [K in keyof O]: Resolved<O[K]> }
      : never
    : T;

declare const resolvedEndpoints: Resolved<Endpoints>;
declare const resolvedErrorCodes: Resolved<ErrorCodes>;

export const endpoints = resolvedEndpoints;
export const errorCodes = resolvedErrorCodes;
