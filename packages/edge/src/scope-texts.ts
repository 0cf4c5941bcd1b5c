// Converts scope sets to text. Many keys share a set, and a set never changes, so the text is
// created only once per set.

type Scopes = ReadonlySet<string>;

export function createScopeTexts(write: (scopes: Scopes) => string): {
  of(scopes: Scopes): string;
} {
  const texts = new WeakMap<Scopes, string>();
  return {
    of(scopes) {
      const known = texts.get(scopes);
      if (known !== undefined) return known;
      const text = write(scopes);
      texts.set(scopes, text);
      return text;
    },
  };
}
