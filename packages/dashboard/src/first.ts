// The first script of the page, before anything is drawn: it sets the theme.
import { applyTheme } from './theme.ts';

applyTheme();
