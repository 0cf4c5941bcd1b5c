// The page's first script. It sets the theme before anything is rendered.
import { applyTheme } from './theme.ts';

applyTheme();
