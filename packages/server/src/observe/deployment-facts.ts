// What metrics and /status report about a whole deployment.

export type DeploymentFigures = {
  mailQueued: number;
  /** How long the oldest due email has been waiting; 0 if none is due. */
  mailOverdueSeconds: number;
  webhooksQueued: number;
  webhooksOverdueSeconds: number;
  nodesCurrent: number;
  nodesBehind: number;
  /** The age of the oldest change that a node hasn't applied; 0 if there is none. */
  nodesLagSeconds: number;
};

export type BackupFacts = {
  now: Date;
  /** Whether the newest attempted backup passed; null if none has been attempted. */
  lastPassed: boolean | null;
  /** When the newest successful backup finished. */
  goodAt: Date | null;
  testAt: Date | null;
  testPassed: boolean | null;
  testedBackup: string | null;
};
