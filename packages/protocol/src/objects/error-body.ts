// The body of every error response.
import { z } from 'zod';

export const ErrorBody = z
  .strictObject({
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      // One entry per problem; `path` is dotted, such as `rate_limits.0.window_ms`.
      details: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
      missing_scopes: z.array(z.string()).optional(),
      missing_permissions: z.array(z.string()).optional(),
      outcome: z
        .enum(['not_done', 'unknown'])
        .optional()
        .meta({
          description:
            'Only with a 503 to a request that changes something. `not_done`: nothing was ' +
            'changed. `unknown`: the change may have gone through.',
        }),
    }),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.output<typeof ErrorBody>;
