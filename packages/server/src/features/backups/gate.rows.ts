// The newest backups and restore tests, as shown in /status. A run dated in the future was recorded
// before the clock was set back. Its age is unknown, so it doesn't count.
import { sql } from '../../base/sql.ts';
import { one, type Runner } from '../../db/sql.ts';
import type { BackupFacts } from '../../observe/deployment-facts.ts';

export const findBackupFacts = (runner: Runner): Promise<BackupFacts> =>
  one(
    runner,
    sql<BackupFacts>`select app_now() as now, tried.passed as last_passed,
        (select max(ended_at) from backup_runs
          where kind = 'backup' and passed and ended_at <= (select app_now())) as good_at,
        test.ended_at as test_at, test.passed as test_passed, test.backup_id as tested_backup
      from (values (1)) always (one)
        left join lateral (select passed from backup_runs
          where kind = 'backup' and ended_at <= (select app_now())
          order by ended_at desc limit 1) tried on true
        left join lateral (select ended_at, passed, backup_id from backup_runs
          where kind = 'restore_test' and ended_at <= (select app_now())
          order by ended_at desc limit 1) test on true`,
  );
