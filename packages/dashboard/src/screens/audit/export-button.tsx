// Exports the filtered rows as JSON Lines, oldest first, so that another tool can verify them.
import { useRef, useState } from 'react';
import { useSend } from '../../api/query.ts';
import { useScope } from '../../shell/scope.ts';
import { Button } from '../../ui/controls/button.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import { toast } from '../../ui/feedback/toast.tsx';
import { type AuditSearch, queryOf } from './search.ts';
import { texts } from './texts.ts';

const PAGE_ROWS = 200;
const ROWS_MAX = 100_000;

export function ExportButton({ search }: { search: AuditSearch }) {
  const { slug } = useScope();
  const send = useSend();
  const [exported, setExported] = useState<number | null>(null);
  const isStopped = useRef(false);
  const run = async () => {
    isStopped.current = false;
    const lines: string[] = [];
    let last = 0;
    let isWhole = false;
    while (!isWhole && lines.length < ROWS_MAX && !isStopped.current) {
      setExported(lines.length);
      const query = { ...queryOf(search), after_seq: last, limit: PAGE_ROWS };
      const { data: rows } = await send('GET /v1/audit_logs', { query });
      for (const row of rows) lines.push(`${JSON.stringify(row)}\n`);
      last = rows.at(-1)?.seq ?? last;
      isWhole = rows.length < PAGE_ROWS;
    }
    saveFile(`audit-${slug}.jsonl`, lines, 'application/x-ndjson');
    toast(isWhole ? texts.export.done(lines.length) : texts.export.partial(lines.length));
  };
  const start = () =>
    void run()
      .catch(() => toast(texts.export.failed))
      .finally(() => setExported(null));
  return exported === null ? (
    <Button icon="download" onClick={start}>
      {texts.export.label}
    </Button>
  ) : (
    <Button
      icon="stop"
      onClick={() => {
        isStopped.current = true;
      }}
    >
      {texts.export.running(exported)}
    </Button>
  );
}
