// What metrics and /status say about a whole deployment.

export type DeploymentFigures = {
  mailQueued: number;
  /** How long the oldest mail that is due has waited; 0 if none is due. */
  mailOverdueSeconds: number;
  webhooksQueued: number;
  webhooksOverdueSeconds: number;
  nodesCurrent: number;
  nodesBehind: number;
  /** The age of the oldest change that a node has not applied; 0 if there is none. */
  nodesLagSeconds: number;
};

export type BackupFacts = {
  now: Date;
  /** Of the newest backup that was tried; null: none was. */
  lastPassed: boolean | null;
  /** When the newest good backup ended. */
  goodAt: Date | null;
  testAt: Date | null;
  testPassed: boolean | null;
  testedBackup: string | null;
};
