// The screen for one key: details, usage, history, metadata and actions.
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useApi } from '../../api/query.ts';
import { loadChunk } from '../../load-chunk.ts';
import { useParams } from '../../match.ts';
import { useSuccessorId } from '../../parts/audit-log/use-successor-id.ts';
import { EnableKey } from '../../parts/end-key/enable-key.tsx';
import { EndKey } from '../../parts/end-key/end-key.tsx';
import type { ApiKey } from '../../parts/key/key.ts';
import { RotateKey } from '../../parts/key/rotate.tsx';
import { texts } from '../../parts/key/texts.ts';
import { paths } from '../../paths.ts';
import { useAddress } from '../../router/location.ts';
import { hrefOf } from '../../router/search-text.ts';
import { useSearch } from '../../router/use-search.ts';
import { GoTo } from '../../shell/go-to.tsx';
import { Gone, Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { ReadOnly } from '../../shell/read-only.tsx';
import { useScope } from '../../shell/scope.ts';
import { KeyState } from '../../ui/content/key-state.tsx';
import { KeyText } from '../../ui/content/secret.tsx';
import { LinkButton } from '../../ui/controls/button.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { SkeletonCards, SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { type Act, KeyActions } from './actions.tsx';
import { Meta } from './meta.tsx';
import { Overview } from './overview.tsx';
import { Usage } from './usage.tsx';

const loadHistory = () => import('./history.tsx');
const History = lazy(async () => ({ default: (await loadChunk(loadHistory)).History }));
const loadEdit = () => import('./edit.tsx');
const EditKey = lazy(async () => ({ default: (await loadChunk(loadEdit)).EditKey }));

const tabs = ['overview', 'usage', 'history', 'meta'] as const;
type TabName = (typeof tabs)[number];

const parseTab = ({ tab }: Readonly<Record<string, string>>): TabName =>
  tabs.find((one) => one === tab) ?? 'overview';

export function Screen() {
  const scope = useScope();
  const { keyId } = useParams('key');
  const { search } = useAddress();
  const key = useApi('GET /v1/keys/{id}', { params: { id: keyId } });
  const crumbs = [{ label: texts.crumb, to: paths.keys(scope) }];
  if (key.data && key.data.env !== scope.env) {
    return <GoTo href={hrefOf(paths.key({ ...scope, env: key.data.env, keyId }), search)} />;
  }
  // Open dialogs and unfinished forms belong to one key, so they reset when another key is shown.
  if (key.data) return <Shown key={key.data.id} of={key.data} crumbs={crumbs} />;
  return (
    <Page title={texts.loading} crumbs={crumbs}>
      <Loaded
        query={key}
        failed={texts.failed}
        skeleton={<SkeletonCards cards={3} height={160} />}
        gone={
          <Gone
            title={texts.gone.title}
            action={<LinkButton to={paths.keys(scope)}>{texts.gone.action}</LinkButton>}
          >
            {texts.gone.text}
          </Gone>
        }
      >
        {() => null}
      </Loaded>
    </Page>
  );
}

type ShownProps = { of: ApiKey; crumbs: readonly { label: string; to: string }[] };

function Shown({ of: key, crumbs }: ShownProps) {
  const scope = useScope();
  const [tab] = useSearch(parseTab);
  const [act, setAct] = useState<Act | null>(null);
  const successorId = useSuccessorId('api_key', key.id);
  const to = paths.key({ ...scope, keyId: key.id });
  const content: Record<TabName, ReactNode> = {
    overview: <Overview of={key} />,
    usage: <Usage of={key} />,
    history: (
      <Suspense fallback={<SkeletonRows />}>
        <History of={key} />
      </Suspense>
    ),
    meta: <Meta of={key} />,
  };
  return (
    <Page
      title={key.name ?? texts.unnamed}
      beside={<KeyState of={key} isRotated={successorId !== null} />}
      lead={<KeyText text={`${key.display_prefix}…`} />}
      crumbs={crumbs}
      actions={<KeyActions of={key} onAct={setAct} />}
    >
      <ReadOnly />
      <Tabs
        label={texts.tabs.label}
        current={tab}
        tabs={tabs.map((id) => ({
          id,
          label: texts.tabs[id],
          to,
          ...(id !== 'overview' && { search: { tab: id } }),
        }))}
      />
      {content[tab]}
      <Open act={act} of={key} onClose={() => setAct(null)} />
    </Page>
  );
}

type OpenProps = { act: Act | null; of: ApiKey; onClose(): void };

function Open({ act, of: key, onClose }: OpenProps) {
  // An open dialog keeps showing the key as it was when the dialog opened. The page itself always
  // shows the current key.
  const [opened, setOpened] = useState<{ act: Act; key: ApiKey } | null>(null);
  if (act === null) {
    if (opened !== null) setOpened(null);
    return null;
  }
  if (opened?.act !== act) {
    setOpened({ act, key });
    return null;
  }
  const props = { of: opened.key, onClose };
  if (act === 'edit') {
    return (
      <Suspense fallback={null}>
        <EditKey {...props} />
      </Suspense>
    );
  }
  if (act === 'rotate') return <RotateKey {...props} />;
  if (act === 'enable') return <EnableKey {...props} />;
  return <EndKey act={act} {...props} />;
}
