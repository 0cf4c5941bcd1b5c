// Concurrent calls with the same name share one result. A call joins only a call that has not been
// sent yet, so no result is older than the call. Results are not cached.

export type Sharing<T> = (name: string, ask: () => Promise<T>) => Promise<T>;

/** How long the next call waits for the one in flight, which may hang. */
const HELD_MS_MAX = 5;

/** A call that has not been sent yet; its callers wait for `answer`. */
type Gathering<T> = { answer: PromiseWithResolvers<T>; ask: () => Promise<T> };

type Question<T> = { underWay: number; open: Gathering<T> | null };

export type SharingParts = { later?(act: () => void, ms: number): void };

export function sharing<T>({ later = setTimeout }: SharingParts = {}): Sharing<T> {
  const questions = new Map<string, Question<T>>();

  function send(name: string, question: Question<T>, gathering: Gathering<T>): void {
    if (question.open !== gathering) return; // sent already
    question.open = null;
    question.underWay += 1;
    const ended = () => {
      question.underWay -= 1;
      // Callers that call again as soon as they have their result can still join this call.
      if (question.open) setImmediate(send, name, question, question.open);
      else if (question.underWay === 0) questions.delete(name);
    };
    const { answer, ask } = gathering;
    // The call ends before its callers continue: a caller that calls again must not wait for it.
    ask().then(
      (result) => {
        ended();
        answer.resolve(result);
      },
      (error: unknown) => {
        ended();
        answer.reject(error);
      },
    );
  }

  function begin(name: string, ask: () => Promise<T>): Gathering<T> {
    const question = questions.get(name) ?? { underWay: 0, open: null };
    questions.set(name, question);
    const gathering = { answer: Promise.withResolvers<T>(), ask };
    question.open = gathering;
    if (question.underWay > 0) later(() => send(name, question, gathering), HELD_MS_MAX);
    else setImmediate(send, name, question, gathering);
    return gathering;
  }

  return (name, ask) => (questions.get(name)?.open ?? begin(name, ask)).answer.promise;
}
