// The gallery: one page with every component in all its states. It is only built for tests.
import '../../src/style/base.css';
import '../../src/style/tokens.css';
import '../../src/style/fonts.css';
import { createRoot } from 'react-dom/client';
import { Mark } from '../../src/shell/mark.tsx';
import { Toasts } from '../../src/ui/feedback/toast.tsx';
import { Controls } from './controls.tsx';
import { Figures } from './figures.tsx';
import styles from './gallery.module.css';
import { Messages } from './messages.tsx';
import { Windows } from './windows.tsx';

const Gallery = () => (
  <main className={styles.gallery}>
    <Mark />
    <h1>Gallery</h1>
    <Controls />
    <Figures />
    <Messages />
    <Windows />
    <Toasts />
  </main>
);

const root = document.getElementById('root');
if (root) createRoot(root).render(<Gallery />);
