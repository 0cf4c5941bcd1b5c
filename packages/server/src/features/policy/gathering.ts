// Batches questions of concurrent requests, each about one node, into one statement. The statement
// is sent after the last question was added, so no answer is older than its question.

/** Bounds one statement: the embedded store blocks the event loop while it runs. */
const QUESTIONS_PER_STATEMENT = 1000;

export type Gathered<Question, Answer> = (
  /** Only questions with the same name share a batch. */
  name: string,
  question: Question,
  /** Answers in the order of the questions. */
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
) => Promise<Answer>;

export function gathering<Question, Answer>(): Gathered<Question, Answer> {
  type Batch = { questions: Question[]; answers: Promise<readonly Answer[]> };
  const unsent = new Map<string, Batch>();

  function begin(name: string, askAll: Parameters<Gathered<Question, Answer>>[2]): Batch {
    const questions: Question[] = [];
    const answers = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (unsent.get(name) === batch) unsent.delete(name);
      return askAll(questions);
    });
    const batch = { questions, answers };
    unsent.set(name, batch);
    return batch;
  }

  return async (name, question, askAll) => {
    const open = unsent.get(name);
    const hasRoom = open && open.questions.length < QUESTIONS_PER_STATEMENT;
    const batch = hasRoom ? open : begin(name, askAll);
    const place = batch.questions.push(question) - 1;
    const answer = (await batch.answers)[place];
    if (answer === undefined) throw new Error('impossible: the batch has no answer for a question');
    return answer;
  };
}
