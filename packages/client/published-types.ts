// Compiled by the build and never run. TypeScript writes the inferred type of a constant out in
// full, so the declarations in this file contain the endpoint types without any reference to the
// protocol or to zod. The build publishes them in place of src/endpoints.ts.
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
