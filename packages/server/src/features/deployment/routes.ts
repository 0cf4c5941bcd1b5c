// The public facts of a deployment. They are settings, so they are not stored.
import { deploymentEndpoints } from '@keyrail/protocol/endpoints/deployment.ts';
import { VERSION } from '../../base/version.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import type { BackupSetup } from '../backups/tasks.ts';

export type DeploymentParts = {
  region: string;
  publicUrl: string;
  passwordCharsMin: number;
  mail: { kind: 'file' | 'smtp' };
  backup: Pick<BackupSetup, 'place'>;
};

export const deploymentRoutes = (parts: DeploymentParts): ServedRoute[] =>
  serve(deploymentEndpoints, {
    'GET /v1/deployment': {
      boundary: 'none',
      door: 'none',
      run: () => ({
        object: 'deployment' as const,
        version: VERSION,
        region: parts.region,
        public_url: parts.publicUrl,
        password_min: parts.passwordCharsMin,
        mail: parts.mail.kind,
        backups: parts.backup.place,
      }),
    },
  });
