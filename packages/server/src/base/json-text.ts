// JSON that is written already. What callers put into `meta` can be large: it is copied from the
// database into the response as it is, without being parsed and written again.

export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object as JSON; members that are JSON text already are copied. */
export const textOfObject = (fields: object): string =>
  `{${Object.entries(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${textOfValue(value)}`)
    .join(',')}}`;

const textOfValue = (value: unknown): string =>
  value instanceof JsonText ? value.text : JSON.stringify(value);
