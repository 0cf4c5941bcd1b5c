// The application's entry point.
import './style/base.css';
import './style/tokens.css';
import './style/fonts.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { takeToken } from './api/one-time-token.ts';
import { connectQueries, queryClient } from './api/query-client.ts';
import { startSession } from './api/session.ts';
import { App, loadScreen } from './app.tsx';
import { startRouter } from './router/location.ts';

const root = document.getElementById('root');
if (!root) throw new Error('bug: the page has no root element');

takeToken();
startRouter(loadScreen);
connectQueries();
void startSession();

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
