// The output of backups and restores: on a terminal, a line that updates in place; otherwise, JSON
// lines.
import { paced } from '../backup/run-task.ts';
import type { TaskProgress } from '../features/backups/backup-tasks.ts';

type Output = { isTTY?: boolean; write(text: string): unknown };

type TaskDisplay = {
  progress(progress: TaskProgress): void;
  /** `fields` is for programs, and `text` is for terminals. */
  done(fields: Record<string, unknown>, text: string): void;
};

const CLEAR_LINE = '\r\u001b[2K';

export function createTaskDisplay(task: string, output: Output): TaskDisplay {
  const line = (event: string, fields: object) =>
    output.write(`${JSON.stringify({ task, event, ...fields })}\n`);
  return {
    progress: paced((progress) => {
      const { table, rows, tables, tablesDone } = progress;
      if (!output.isTTY) return void line('progress', progress);
      const done = `${tablesDone} of ${tables} tables done`;
      output.write(`${CLEAR_LINE}${task}: ${done}; ${table}: ${rows} rows`);
    }),
    done(fields, text) {
      if (output.isTTY) output.write(`${CLEAR_LINE}${text}\n`);
      else line('done', fields);
    },
  };
}
