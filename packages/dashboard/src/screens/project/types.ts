import type { Item } from '@keyrail/client';

export type Project = Item<'GET /v1/projects'>;
