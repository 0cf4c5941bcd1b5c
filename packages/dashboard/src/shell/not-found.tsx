// Shown for URLs without a screen.
import { paths } from '../paths.ts';
import { en } from '../texts/en.ts';
import { LinkButton } from '../ui/controls/button.tsx';
import { Page } from './page.tsx';

export const NotFound = () => (
  <Page title={en.notFound.title} lead={en.notFound.text}>
    <div>
      <LinkButton kind="primary" to={paths.home}>
        {en.crash.home}
      </LinkButton>
    </div>
  </Page>
);
