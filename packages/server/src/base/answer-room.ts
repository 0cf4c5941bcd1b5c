// How much of what callers wrote goes into one answer. Rows are counted by a limit of their own;
// this bounds how long the process does nothing but tell of rows that are very large.

export const ANSWER_CHARS_MAX = 8_388_608;

export type AnswerRoom = {
  take(chars: number): void;
  isFull(): boolean;
  /** How many more rows fit, going by those that were taken. */
  rowsLike(taken: number): number;
};

export function answerRoom(): AnswerRoom {
  let used = 0;
  return {
    take(chars) {
      used += chars;
    },
    isFull: () => used > ANSWER_CHARS_MAX,
    rowsLike: (taken) => Math.max(1, Math.floor((ANSWER_CHARS_MAX - used) / (used / taken))),
  };
}
