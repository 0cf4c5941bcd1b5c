// How much of what callers wrote goes into one answer of the feed. Keys are counted by a setting;
// this bounds how long the process does nothing but tell of keys with very many, very long scopes.

const ANSWER_CHARS_MAX = 8_388_608;

export type AnswerRoom = {
  take(entries: readonly { scopes: readonly string[] }[]): void;
  isFull(): boolean;
};

export function answerRoom(): AnswerRoom {
  let chars = 0;
  return {
    take(entries) {
      for (const { scopes } of entries) for (const scope of scopes) chars += scope.length;
    },
    isFull: () => chars > ANSWER_CHARS_MAX,
  };
}
