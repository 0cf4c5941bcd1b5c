// Many nodes ask at once, each about itself: what arrives together is put to the database as one
// statement. It is sent after the last has arrived, so no answer is older than its asking.

/** Bounds one statement: the embedded store does nothing else while it runs. */
const QUESTIONS_PER_STATEMENT = 1000;

export type Gathered<Question, Answer> = (
  /** Only questions of the same name may be put together. */
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
    if (answer === undefined) throw new Error('impossible: a question without an answer');
    return answer;
  };
}
