// The user's account: name, password, sessions, theme, shortcuts.
import { useMe } from '../../api/me.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { SkeletonRows } from '../../ui/feedback/skeleton.tsx';
import { Password } from './password.tsx';
import { Keyboard, ThemeChoice } from './preferences.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';
import { texts } from './texts.ts';

export function Screen() {
  const me = useMe();
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Loaded query={me} failed={texts.failed} skeleton={<SkeletonRows rows={6} />}>
        {({ user }) => (
          <>
            <Profile user={user} />
            <Password email={user.email} />
            <Sessions />
            <ThemeChoice />
            <Keyboard />
          </>
        )}
      </Loaded>
    </Page>
  );
}
