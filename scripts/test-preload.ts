/**
 * Loaded before test files. Node.js's test runner follows every promise with an async hook, to name
 * the test that caused an uncaught error. The hook accounts for a sixth of the CPU time of tests
 * with an app, and for half of a simulation's. This file disables it. An uncaught error still fails
 * the process, and is printed here. Processes started by tests also load this file, but they have
 * no test runner, so nothing changes there.
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
