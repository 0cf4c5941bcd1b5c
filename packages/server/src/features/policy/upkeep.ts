// What the jobs that keep the feed short are given.
import type { PolicyVersion } from '../../doors/door.ts';
import type { OpenWork, OpenWorkIn } from '../../doors/work.ts';

export type UpkeepParts = {
  work: OpenWork;
  workIn: OpenWorkIn;
  announce(versions: readonly PolicyVersion[]): void;
};
