// Text that is already JSON. A caller's `meta` can be large, so it is copied from the database into
// the response without being parsed and serialised again.

export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Serialises an object; members of type JsonText are copied unchanged. */
export const textOfObject = (fields: object): string =>
  `{${Object.entries(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${textOfValue(value)}`)
    .join(',')}}`;

const textOfValue = (value: unknown): string =>
  value instanceof JsonText ? value.text : JSON.stringify(value);
