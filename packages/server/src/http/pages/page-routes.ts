// The routes meant for browsers: the reference, the dashboard, and the widget's script.
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../../base/log.ts';
import { packageFolder } from '../../base/package-folder.ts';
import { dashboardRoutes } from './dashboard.ts';
import { documentRoutes } from './documents.ts';
import { widgetRoutes } from './widget.ts';

const DASHBOARD = join(packageFolder, '../dashboard/dist');

type PageParts = { dashboard?: string; publicUrl: string; log: Log };

export function pageRoutes(http: FastifyInstance, parts: PageParts): void {
  const { dashboard: folder = DASHBOARD, publicUrl, log } = parts;
  documentRoutes(http, publicUrl);
  dashboardRoutes(http, { folder, publicUrl, log });
  widgetRoutes(http, { folder, publicUrl });
}
