// Limits the caller-supplied text in one response to 8 Mi characters, so that a page of very large
// rows cannot block the event loop. The number of rows has a separate limit.

const RESPONSE_CHARS_MAX = 8_388_608;

type ResponseBudget = {
  take(chars: number): void;
  isFull(): boolean;
  /** How many more rows fit, estimated from the average row size so far. */
  rowsLike(taken: number): number;
};

export function createResponseBudget(): ResponseBudget {
  let used = 0;
  return {
    take(chars) {
      used += chars;
    },
    isFull: () => used > RESPONSE_CHARS_MAX,
    rowsLike: (taken) => Math.max(1, Math.floor((RESPONSE_CHARS_MAX - used) / (used / taken))),
  };
}
