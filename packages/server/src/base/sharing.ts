// The same question, asked by many at once, is put once. A question joins only one that has not
// been sent yet, so its answer is never older than the asking; nothing is remembered of it.

export type Sharing<T> = (name: string, ask: () => Promise<T>) => Promise<T>;

/** While one is under way the next waits for it and grows, but not for long: it may be stuck. */
const HELD_MS_MAX = 5;

/** A question that is yet to be sent, and everyone who waits for its answer. */
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
      // Those who are answered now may ask again at once, and then come along.
      if (question.open) setImmediate(send, name, question, question.open);
      else if (question.underWay === 0) questions.delete(name);
    };
    const { answer, ask } = gathering;
    // Ended before anyone is told: who asks again at once must not wait for what is over.
    ask().then(
      (told) => {
        ended();
        answer.resolve(told);
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
