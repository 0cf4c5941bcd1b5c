// Dependencies of the jobs that keep the feed short.
import type { PolicyVersion } from '../../doors/door.ts';
import type { OpenWork, OpenWorkIn } from '../../doors/work.ts';

export type UpkeepParts = {
  work: OpenWork;
  workIn: OpenWorkIn;
  announce(versions: readonly PolicyVersion[]): void;
};
