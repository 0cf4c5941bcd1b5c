// The same question, asked by many at once, is put to the store once. What a reader may see is
// settled by scope and statement alone, so whoever sends both alike may share an answer; and it is
// sent after the last of them asked, so that each still sees whatever was committed before.
import { type Deadline, deadlineAfter } from '../base/deadline.ts';
import type { Answer, Database, Opening, Statement } from './database.ts';
import { preparedName } from './prepared.ts';

const HELD_MS_MAX = 5;
/** Whose patience differs by more asks alone: nobody is hurried by another, or kept by one. */
const PATIENCE_APART_MS_MAX = 250;

type Ask = (deadline: Deadline) => Promise<Answer>;

/** A statement that is yet to be sent, and everyone who waits for its answer. */
type Gathering = { answer: PromiseWithResolvers<Answer>; ask: Ask; deadline: Deadline };

type Question = { underWay: number; open: Gathering | null };

export function sharingReads(db: Database): Database {
  const share = sharing();
  return {
    ...db,
    once: (opening, statement) =>
      opening.role === 'kr_read'
        ? share(nameOf(opening, statement), opening.deadline, (deadline) =>
            db.once({ ...opening, deadline }, statement),
          )
        : db.once(opening, statement),
  };
}

/** Two that share a name differ in nothing that the store is told, but for how long it has. */
function nameOf({ scope, byIndex, readOnly, repeatable }: Opening, statement: Statement): string {
  const { workspaceId, envs, tenantId, projectId, userId } = scope;
  const whose = `${workspaceId} ${envs} ${tenantId} ${projectId} ${userId}`;
  const values = statement.values.length === 0 ? '' : JSON.stringify(statement.values, spelled);
  return `${preparedName(statement.text)} ${whose} ${byIndex} ${readOnly} ${repeatable} ${values}`;
}

/** JSON has no word for some numbers: it refuses them, or takes them for nothing. */
const spelled = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
    ? { number: String(value) }
    : value;

function sharing(): (name: string, deadline: Deadline, ask: Ask) => Promise<Answer> {
  const questions = new Map<string, Question>();

  function send(name: string, question: Question, gathering: Gathering): void {
    if (question.open !== gathering) return; // sent already
    question.open = null;
    question.underWay += 1;
    const { answer, ask, deadline } = gathering;
    const ended = () => {
      question.underWay -= 1;
      // Those who are answered now may ask again at once, and then come along.
      if (question.open) setImmediate(send, name, question, question.open);
      else if (question.underWay === 0) questions.delete(name);
    };
    // Ended before anyone is told: who asks again at once must not wait for what is over.
    ask(deadline).then(
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

  function begin(name: string, deadline: Deadline, ask: Ask): Gathering {
    const question = questions.get(name) ?? { underWay: 0, open: null };
    questions.set(name, question);
    const gathering = { answer: Promise.withResolvers<Answer>(), ask, deadline };
    question.open = gathering;
    // With one under way it waits for that, but not for long: its connection may have died.
    if (question.underWay > 0) setTimeout(send, HELD_MS_MAX, name, question, gathering);
    else setImmediate(send, name, question, gathering);
    return gathering;
  }

  return (name, deadline, ask) => {
    const leftMs = deadline.remainingMs();
    const open = questions.get(name)?.open;
    if (!open) return begin(name, deadlineAfter(leftMs), ask).answer.promise;
    const apartMs = Math.abs(open.deadline.remainingMs() - leftMs);
    return apartMs > PATIENCE_APART_MS_MAX ? ask(deadline) : open.answer.promise;
  };
}
