// Information about a deployment that anyone can read without signing in.
import { z } from 'zod';

export const Deployment = z
  .strictObject({
    object: z.literal('deployment'),
    version: z.string(),
    region: z.string(),
    public_url: z.string(),
    password_min: z.int().min(1).meta({ description: 'Minimum length of a new password.' }),
    mail: z.enum(['file', 'smtp']).meta({
      description: '`file`: emails are saved in the data directory, and nobody receives them.',
    }),
    backups: z
      .enum(['inside', 'outside'])
      .nullable()
      .meta({
        description:
          'Whether this server stores backups inside its data directory or in another one ' +
          '(`KEYRAIL_BACKUP_DIR`). `null` if another process makes them.',
      }),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.output<typeof Deployment>;
