// Runs one change at a time. Returns whether it is running, and its error.
import type { Caller } from '@keyrail/client';
import { useRef, useState } from 'preact/hooks';
import { useWidget } from '../ui/context.ts';
import { type Act, detailOf, Offline, type Problem, problemOf } from './problems.ts';
import { TokenProblem } from './refusals.ts';

type Change<T> = {
  isBusy: boolean;
  problem: Problem | null;
  run(send: (client: Caller, signal: AbortSignal) => Promise<T>): void;
};

export function useChange<T>(act: Act, onDone: (result: T) => void): Change<T> {
  const { connection, words, emit } = useWidget();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  // A ref, because state is only updated on the next render, and a second click may arrive before
  // that.
  const isRunning = useRef(false);
  const run: Change<T>['run'] = async (send) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setProblem(null);
    try {
      if (!navigator.onLine) throw new Offline();
      onDone(await connection.call(send));
    } catch (error) {
      const found = problemOf(error, act, words);
      setProblem(found);
      if (!(error instanceof TokenProblem)) emit('error', detailOf(error, found));
    }
    isRunning.current = false;
    setBusy(false);
  };
  return { isBusy, problem, run };
}
