/**
 * Loaded before test files, to disable a slow hook. Node.js's test runner tracks every promise with
 * an async hook, so that it can name the test that caused an uncaught error. The hook takes a sixth
 * of the CPU time of tests that start an app, and half that of simulations. Without the hook, an
 * uncaught error still fails the process, and this file prints it. Processes started by tests also
 * load this file, but they have no test runner, so it changes nothing there.
 */
import hooks, { type AsyncHook, type HookCallbacks } from 'node:async_hooks';

const { createHook } = hooks;
const inert: AsyncHook = { enable: () => inert, disable: () => inert };

function createOtherHook(callbacks: HookCallbacks): AsyncHook {
  if (!new Error().stack?.includes('node:internal/test_runner')) return createHook(callbacks);
  process.on('uncaughtExceptionMonitor', (error) => console.error(error));
  process.on('unhandledRejection', (error) => {
    console.error(error);
    process.exitCode = 1;
  });
  return inert;
}

Object.assign(hooks, { createHook: createOtherHook });
