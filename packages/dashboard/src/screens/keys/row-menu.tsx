// The menu in each row of the key list.

import { whyNotRotated } from '../../parts/key/key.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/location.ts';
import type { Scope } from '../../shell/scope.ts';
import { copyText } from '../../ui/controls/clipboard.ts';
import { toast } from '../../ui/feedback/toast.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import type { MenuItem } from '../../ui/overlays/menu-popup.tsx';
import type { ApiKey } from './names.ts';
import { texts } from './texts.ts';

export type RowAct = 'rotate' | 'revoke' | 'disable' | 'enable';

type Props = { of: ApiKey; scope: Scope; onAct(act: RowAct): void };

export function RowMenu({ of, scope, onAct }: Props) {
  const copyId = async () => {
    if (await copyText(of.id)) toast(texts.copied);
  };
  const reads: MenuItem[] = [
    {
      label: texts.open,
      icon: 'arrow',
      onSelect: () => void navigate(paths.key({ ...scope, keyId: of.id })),
    },
    { label: texts.copyId, icon: 'copy', onSelect: () => void copyId() },
    {
      label: texts.explain,
      icon: 'explain',
      onSelect: () => void navigate(paths.explain(scope), { search: { key_id: of.id } }),
    },
  ];
  const like: MenuItem = {
    label: texts.like,
    icon: 'plus',
    onSelect: () => void navigate(paths.newKey(scope), { search: { like: of.id } }),
  };
  const rotate: MenuItem = {
    label: texts.rotate,
    icon: 'rotate',
    because: whyNotRotated(of),
    onSelect: () => onAct('rotate'),
  };
  const pause: MenuItem =
    of.disabled_at === null
      ? { label: texts.disable, icon: 'pause', onSelect: () => onAct('disable') }
      : { label: texts.enable, icon: 'check', onSelect: () => onAct('enable') };
  const revoke: MenuItem = {
    label: texts.revoke,
    icon: 'stop',
    danger: true,
    onSelect: () => onAct('revoke'),
  };
  const groups = of.revoked_at === null ? [reads, [rotate, pause, revoke]] : [reads, [like]];
  return <Menu label={texts.menu(of.name ?? of.display_prefix)} groups={groups} />;
}
