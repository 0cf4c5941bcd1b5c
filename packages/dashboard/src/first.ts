// The first script of the page. It sets the theme before anything is rendered.
import { applyTheme } from './theme.ts';

applyTheme();
