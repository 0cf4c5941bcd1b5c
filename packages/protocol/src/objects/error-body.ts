// The body of every error response.
import { z } from 'zod';

export const ErrorBody = z
  .strictObject({
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      // One entry per problem; `path` is dotted, as in `rate_limits.0.window_ms`.
      details: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
      missing_scopes: z.array(z.string()).optional(),
    }),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.output<typeof ErrorBody>;
