// An address that leads nowhere.
import { paths } from '../paths.ts';
import { en } from '../texts/en.ts';
import { LinkButton } from '../ui/button.tsx';
import { Gone } from './loaded.tsx';

export const Screen = () => (
  <Gone
    title={en.notFound.title}
    action={
      <LinkButton kind="primary" to={paths.home}>
        {en.crash.home}
      </LinkButton>
    }
  >
    {en.notFound.text}
  </Gone>
);
