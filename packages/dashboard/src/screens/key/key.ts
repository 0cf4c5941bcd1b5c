import type { Answer } from '@keyrail/client';

export type ApiKey = Answer<'GET /v1/keys/{id}'>;

export const nameOf = ({ name, display_prefix }: ApiKey): string => name ?? display_prefix;
