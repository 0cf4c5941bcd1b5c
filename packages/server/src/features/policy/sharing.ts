// Many nodes wake at once and ask the same question: it is put to the database once. A question
// joins only one that has not been sent yet, so its answer is never older than the asking.

export type Sharing<T> = (name: string, ask: () => Promise<T>) => Promise<T>;

export function sharing<T>(): Sharing<T> {
  const unsent = new Map<string, Promise<T>>();
  return (name, ask) => {
    let answer = unsent.get(name);
    if (!answer) {
      answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        unsent.delete(name);
        return ask();
      });
      unsent.set(name, answer);
    }
    return answer;
  };
}
